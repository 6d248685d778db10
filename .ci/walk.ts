/**
 * Which files of `src` one message passes, and how many calls that takes, as V8 counts them once everything is warm. Prints both
 * walks, each file with its calls, and fails when one passes more files than it may: `npm run walk`. Calls are a report
 * alone, so that nobody writes two good small functions as one for them.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import inspector from 'node:inspector/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Analytics } from '../src/index.js';
import { Service } from '../src/service/index.js';

/** Calls by file, most first. */
type Walk = ReadonlyMap<string, number>;

/** How many messages go before the one that counts, so that connections, buffers and lazy parts are there. */
const WARM_UP = 12;

/** It may only fall. The service's has room for what a timer does now and then while a message passes. */
const MOST_FILES = { client: 29, service: 62 };

const SOURCE = new URL('../src/', import.meta.url).href;

const session = new inspector.Session();
session.connect();

/** What was called since this was last asked. */
async function takeWalk(): Promise<Walk> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const calls = new Map<string, number>();
  for (const { url, functions } of result) {
    if (!url.startsWith(SOURCE)) continue;
    const [file = ''] = url.slice(SOURCE.length).split('?');
    for (const { functionName, ranges } of functions) {
      const [whole] = ranges;
      // The function without a name that begins a file is the file itself.
      if (whole === undefined || whole.count === 0 || (functionName === '' && whole.startOffset === 0)) continue;
      calls.set(file, (calls.get(file) ?? 0) + whole.count);
    }
  }
  return new Map([...calls].sort(([, one], [, other]) => other - one));
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The shortest walk of three messages after others like them: a timer of something else may fall into one. */
async function walkOf(send: () => Promise<unknown>): Promise<Walk> {
  for (let sent = 0; sent < WARM_UP; sent++) {
    await send();
    await pause(100);
  }
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const walks: Walk[] = [];
  for (let measured = 0; measured < 3; measured++) {
    // Timers that a message leaves behind are not the walk of the next.
    await pause(1_500);
    await takeWalk();
    await send();
    walks.push(await takeWalk());
  }
  await session.post('Profiler.stopPreciseCoverage');
  return walks.reduce((least, walk) => (walk.size < least.size ? walk : least));
}

async function listen(answer: string): Promise<{ server: http.Server; url: string }> {
  const server = http.createServer((request, response) => {
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json').end(answer);
      server.emit('answered');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function clientWalk(): Promise<Walk> {
  const { server, url } = await listen('{"success":true}');
  const analytics = new Analytics({ writeKey: 'dev', endpoint: url, flushAt: 1 });
  const walk = await walkOf(
    () => analytics.track({ userId: 'u1', event: 'Order Completed', properties: { total: 1 } }).delivered,
  );
  await analytics.close();
  server.close();
  return walk;
}

async function serviceWalk(): Promise<Walk> {
  const customer = await listen('ok');
  const folder = await mkdtemp(join(tmpdir(), 'walk-'));
  const service = await Service.open({
    listen: { host: '127.0.0.1', port: 0 },
    admin: { token: '0123456789abcdef0123' },
    store: { type: 'lmdb', path: join(folder, 'data') },
    sources: [{ name: 'shop', writeKeys: ['dev'], destinations: ['crm'] }],
    destinations: [
      {
        name: 'crm',
        type: 'Webhooks',
        sharedSecret: 'a secret of the customer',
        allowLoopback: true,
        webhooks: [{ url: `${customer.url}/hook` }],
      },
    ],
  } as never);
  const { url } = await service.listen();
  const headers = { authorization: `Basic ${btoa('dev:')}`, 'content-type': 'application/json' };
  let sent = 0;
  const walk = await walkOf(async () => {
    const timestamp = new Date().toISOString();
    const order = { event: 'Order Completed', properties: { total: 1 }, timestamp };
    const batch = [{ type: 'track', messageId: `m${sent++}`, userId: 'u1', ...order }];
    const answered = once(customer.server, 'answered');
    await fetch(`${url}/v1/batch`, { method: 'POST', headers, body: JSON.stringify({ batch, sentAt: timestamp }) });
    await answered;
    // What became of it is put on record after the customer's answer.
    await pause(30);
  });
  await service.close();
  customer.server.closeAllConnections();
  customer.server.close();
  await rm(folder, { recursive: true });
  return walk;
}

/** Fails when the walk passes more files than it may. */
function report(title: string, walk: Walk, mostFiles: number): void {
  const calls = [...walk.values()].reduce((sum, ofFile) => sum + ofFile, 0);
  const lines = [...walk].map(([file, ofFile]) => `${String(ofFile).padStart(6)} ${file}\n`);
  process.stdout.write(`${title}: ${walk.size} files (at most ${mostFiles}), ${calls} calls\n${lines.join('')}`);
  if (walk.size > mostFiles) process.exitCode = 1;
}

await session.post('Profiler.enable');
report("From track() to the collector's answer", await clientWalk(), MOST_FILES.client);
report("From the collector's socket to the customer's answer, on lmdb", await serviceWalk(), MOST_FILES.service);
