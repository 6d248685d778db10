// A write key that everybody can read, and somebody who sends the smallest body of the most messages with it, over and over:
//
//   node bench/service/flood.js [--messages 2500] [--requests 60] [--destinations 100] [--heap 512] [--seconds 60] [--client 3000]
//
// The service has 100 destinations, of which one never answers, and 512 MB of heap. Says whether it lived, how long
// `/healthz` and the events of another source took meanwhile, and what memory it took. With `--client`, that many events of our own
// client take the place of the flood. After `npm run build`.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { brotliCompressSync } from 'node:zlib';
import { targetTable } from '../report.js';
import { atMost } from '../targets.js';
import { startReceiver, startService } from './service.js';

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '2500' },
    requests: { type: 'string', default: '60' },
    destinations: { type: 'string', default: '100' },
    heap: { type: 'string', default: '512' },
    seconds: { type: 'string', default: '60' },
    client: { type: 'string', default: '0' },
  },
});
const [messages, requests, destinations, heap, seconds] = [
  'messages',
  'requests',
  'destinations',
  'heap',
  'seconds',
].map((name) => Number(values[name]));

const ASK_EVERY_MS = 50;
const GIVE_UP_MS = 60_000;

const one = '{"type":"track","event":"e","userId":"u"}';
const flood = brotliCompressSync(`{"batch":[${Array(messages).fill(one)}]}`);
if (values.client === '0') {
  console.log(`${messages} messages in ${flood.length} bytes, ${requests} times, to ${destinations} destinations`);
}

const folder = mkdtempSync(join(tmpdir(), 'flood-'));
const receiver = await startReceiver();
const names = Array.from({ length: destinations }, (_, index) => `d${index}`);
const service = await startService(
  folder,
  {
    listen: { port: 0 },
    store: { type: 'lmdb', path: 'data' },
    sources: ['flood', 'other'].map((name) => ({ name, writeKeys: [name], destinations: names })),
    destinations: names.map((name, index) => ({
      name,
      type: 'Webhooks',
      allowLoopback: true,
      webhooks: [{ url: `${receiver.url}/${index === 0 ? 'hang' : name}` }],
    })),
  },
  'flood',
  [`--max-old-space-size=${heap}`],
);
const ended = { code: undefined };
void service.ended.then(([code, signal]) => Object.assign(ended, { code: code ?? signal }));

const peaks = { rss: 0, anon: 0 };
const looking = setInterval(() => {
  try {
    const status = readFileSync(`/proc/${service.pid}/status`, 'utf8');
    const mb = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
    peaks.rss = Math.max(peaks.rss, mb('VmRSS'));
    peaks.anon = Math.max(peaks.anon, mb('RssAnon'));
  } catch {
    // It has ended.
  }
}, ASK_EVERY_MS);

const health = { times: [], agent: new Agent({ keepAlive: true }), failed: 0 };
const other = { times: [], agent: new Agent({ keepAlive: true }), failed: 0, statuses: {} };
const floods = { times: [], statuses: {}, agent: new Agent({ keepAlive: true }) };

let isOver = false;
async function repeat(act) {
  while (!isOver && ended.code === undefined) {
    await act();
    await delay(ASK_EVERY_MS);
  }
}
const healths = repeat(async () => {
  const { ms } = await ask(health.agent, 'GET', '/healthz');
  health.times.push(ms);
});
const others = repeat(async () => {
  const body = JSON.stringify({ batch: [{ type: 'track', event: 'Other', userId: 'u' }] });
  const { ms, status } = await ask(other.agent, 'POST', '/v1/batch', 'other', body);
  other.times.push(ms);
  other.statuses[status] = (other.statuses[status] ?? 0) + 1;
});

const startedAt = performance.now();
const sent = Array.from({ length: Number(values.client) > 0 ? 0 : requests }, async () => {
  const { ms, status } = await ask(floods.agent, 'POST', '/v1/batch', 'flood', flood);
  floods.times.push(ms);
  floods.statuses[status] = (floods.statuses[status] ?? 0) + 1;
});
const called = Number(values.client) > 0 ? await callAll(Number(values.client)) : undefined;
await Promise.race([Promise.all(sent), service.ended, delay(GIVE_UP_MS, undefined, { ref: false })]);
const answeredMs = performance.now() - startedAt;
await Promise.race([service.ended, delay(Math.max(0, seconds * 1_000 - answeredMs))]);
isOver = true;
await Promise.race([Promise.all([healths, others]), delay(GIVE_UP_MS, undefined, { ref: false })]);
clearInterval(looking);

console.log({
  service: ended.code === undefined ? 'lived' : `ended: ${ended.code}`,
  ...(called === undefined ? { flood: { statuses: floods.statuses, ...summary(floods.times) } } : { client: called }),
  healthz: summary(health.times),
  other: { statuses: other.statuses, ...summary(other.times) },
  peakMb: { rss: Math.round(peaks.rss), withoutTheFile: Math.round(peaks.anon) },
  delivered: await receiver.count().then(({ unique, twice }) => unique + twice),
});
console.log(
  targetTable([
    atMost('services ended', 0, ended.code === undefined ? 0 : 1, ''),
    atMost('`/healthz`, p99', 1_000, summary(health.times).p99Ms, 'ms'),
    atMost('another source, p99', 2_000, summary(other.times).p99Ms, 'ms'),
    atMost('memory', 400, peaks.rss, 'MB'),
  ]),
);
for (const { agent } of [health, other, floods]) agent.destroy();
await service.stop();
receiver.stop();
rmSync(folder, { recursive: true, force: true });

/** As a user of the client does it. */
async function callAll(count) {
  const { Analytics } = await import('../../dist/index.js');
  const analytics = new Analytics({ endpoint: service.url, writeKey: 'flood', logger: undefined });
  const startedAt = performance.now();
  for (let call = 0; call < count; call++) {
    analytics.track({ userId: `u${call}`, event: 'Order Completed', properties: { total: call } });
  }
  await analytics.flush();
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  // What the time went into: a service may deliver meanwhile, or put that off.
  const { cpuMicroseconds } = await service.cost();
  const { unique } = await receiver.count();
  await analytics.close();
  return { events: count, seconds, cpuSeconds: Math.round(cpuMicroseconds / 1e5) / 10, deliveredMeanwhile: unique };
}

function ask(agent, method, path, key, body) {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const done = (status) => resolve({ status, ms: performance.now() - startedAt });
    const headers = key === undefined ? {} : { authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` };
    if (typeof body === 'object') headers['content-encoding'] = 'br';
    const outgoing = request(service.url + path, { method, agent, headers, timeout: GIVE_UP_MS }, (incoming) => {
      incoming
        .resume()
        .on('end', () => done(incoming.statusCode))
        .on('error', () => done('broken'));
    });
    outgoing.on('error', () => done('broken')).on('timeout', () => outgoing.destroy());
    outgoing.end(body);
  });
}

function summary(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN);
  return { count: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
}
