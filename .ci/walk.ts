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

/** Calls by function, as `folder/file.ts name`. */
type Walk = ReadonlyMap<string, number>;

/** How many messages go before the one that counts, so that connections, buffers and lazy parts are there. */
const WARM_UP = 12;

/** It is looked this often, and no more than so many times, whether a walk is over. */
const LOOK_MS = 5;
const MOST_LOOKS = 2_000;

/** It may only fall. */
const MOST_FILES = { client: 28, service: 60 };

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
      // tsx adds this call to each function that is made, to name it.
      if (functionName === '__name') continue;
      add(calls, `${file} ${functionName}`, whole.count);
    }
  }
  return calls;
}

const add = (calls: Map<string, number>, name: string, count: number): unknown =>
  calls.set(name, (calls.get(name) ?? 0) + count);

const fileOf = (name: string): string => name.slice(0, name.indexOf(' '));

/** The calls of each file, most first. */
function byFile(walk: Walk): Walk {
  const files = new Map<string, number>();
  for (const [name, count] of walk) add(files, fileOf(name), count);
  return new Map([...files].sort(([, one], [, other]) => other - one));
}

const callsOf = (walk: Walk): number => [...walk.values()].reduce((sum, count) => sum + count, 0);

/** Which of two walks is longer: by its files, and by its calls where these are as many. */
const longer = (one: Walk, other: Walk): number =>
  byFile(one).size - byFile(other).size || callsOf(one) - callsOf(other);

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** What was called since this was last asked, and what is called until `last` was called too. */
async function walkUpTo(last: string | undefined): Promise<Walk> {
  const calls = new Map<string, number>();
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    for (const [name, count] of await takeWalk()) add(calls, name, count);
    if (last === undefined || calls.has(last)) return calls;
    await pause(LOOK_MS);
  }
  throw new Error(`${last} was never called`);
}

/**
 * The shortest walk of three messages after others like them: a timer of something else may fall into one.
 *
 * @param last the function in which the walk of a message ends, where that is some time after `send`
 */
async function walkOf(send: () => Promise<unknown>, last?: string): Promise<Walk> {
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
    walks.push(await walkUpTo(last));
  }
  await session.post('Profiler.stopPreciseCoverage');
  return walks.reduce((least, walk) => (longer(walk, least) < 0 ? walk : least));
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
    // The outcome is put on record after the customer's answer.
  }, 'destination/sending/delivery-attempts.ts made');
  await service.close();
  customer.server.closeAllConnections();
  customer.server.close();
  await rm(folder, { recursive: true });
  return walk;
}

/** Fails when the walk passes more files than it may. */
function report(title: string, walk: Walk, mostFiles: number): void {
  const files = byFile(walk);
  const lines = [...files].map(([file, calls]) => `${String(calls).padStart(6)} ${file}\n`);
  process.stdout.write(
    `${title}: ${files.size} files (at most ${mostFiles}), ${callsOf(walk)} calls\n${lines.join('')}`,
  );
  if (files.size > mostFiles) process.exitCode = 1;
}

await session.post('Profiler.enable');
report("From track() to the collector's answer", await clientWalk(), MOST_FILES.client);
report("From the collector's socket to the customer's answer, on lmdb", await serviceWalk(), MOST_FILES.service);
