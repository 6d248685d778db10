import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { lmdbStorage } from '../../../src/store/lmdb/lmdb-storage.js';
import type { Storage } from '../../../src/store/storage.js';
import { newFolder } from '../../cli/files.js';
import { startEndpoint, type TestEndpoint } from '../test-endpoint.js';

const child = fileURLToPath(new URL('./share-child.ts', import.meta.url));
const suspending = fileURLToPath(new URL('./suspend-child.ts', import.meta.url));

async function start(path: string, url: string, run: string): Promise<ChildProcess> {
  const process = fork(child, [path, url, run], {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  onTestFinished(() => void process.kill('SIGKILL'));
  return process;
}

async function suspend({ pid }: ChildProcess, path: string): Promise<void> {
  const process = fork(suspending, [path, String(pid)], { execArgv: ['--import', 'tsx'] });
  onTestFinished(() => void process.kill('SIGKILL'));
  expect(await once(process, 'exit')).toEqual([0, null]);
}

const arrivedAt = ({ received }: TestEndpoint): string[] =>
  received.map(({ body }) => (JSON.parse(body.toString()) as { messageId: string }).messageId);

const acceptedIn = (path: string): string[] => readFileSync(join(path, 'accepted'), 'utf8').trimEnd().split('\n');

/** What was accepted and neither waits nor has arrived. Asked in this order, since messages go that way. */
async function lostFrom(path: string, storage: Storage, endpoint: TestEndpoint): Promise<string[]> {
  const accepted = acceptedIn(path);
  const store = await storage.deliveries('crm');
  const waiting = await Promise.all(accepted.map(async (id) => (await store.event(id)) !== undefined));
  const arrived = new Set(arrivedAt(endpoint));
  return accepted.filter((id, index) => !waiting[index] && !arrived.has(id));
}

test('several processes take messages in, the one that delivers is killed, and all of it arrives', async () => {
  const path = await newFolder();
  const endpoint = await startEndpoint(200);
  const storage = await lmdbStorage({ path });
  onTestFinished(() => storage.close());
  const has = (...runs: string[]) =>
    expect.poll(() => runs.filter((run) => !arrivedAt(endpoint).some((id) => id.startsWith(run)))).toEqual([]);

  const first = await start(path, endpoint.url, 'a');
  await has('a');
  const others = [await start(path, endpoint.url, 'b'), await start(path, endpoint.url, 'c')];
  await has('b', 'c');
  first.kill('SIGKILL');
  await once(first, 'exit');
  expect(await lostFrom(path, storage, endpoint)).toEqual([]);
  await endpoint.has(endpoint.received.length + 200);
  others.push(await start(path, endpoint.url, 'd'));
  await has('d');
  expect(await lostFrom(path, storage, endpoint)).toEqual([]);

  for (const process of others) {
    const ended = once(process, 'message');
    process.send('end');
    await ended;
  }
  const store = await storage.deliveries('crm');
  await expect.poll(() => store.backlog()).toEqual([]);
  expect(await lostFrom(path, storage, endpoint)).toEqual([]);
}, 90_000);

test('a process that is suspended while it delivers holds the others up for ten seconds, and loses nothing', async () => {
  const path = await newFolder();
  const endpoint = await startEndpoint(200);
  const storage = await lmdbStorage({ path });
  onTestFinished(() => storage.close());
  const first = await start(path, endpoint.url, 'a');
  await endpoint.has(1);
  const ended = once(first, 'message');
  first.send('end');
  await ended;
  const store = await storage.deliveries('crm');
  await expect.poll(() => store.backlog()).toEqual([]);
  await suspend(first, path);
  const second = await start(path, endpoint.url, 'b');
  await endpoint.has(endpoint.received.length + 200);
  first.kill('SIGCONT');
  const secondEnded = once(second, 'message');
  second.send('end');
  await secondEnded;
  await expect.poll(() => store.backlog()).toEqual([]);
  expect(await lostFrom(path, storage, endpoint)).toEqual([]);
}, 60_000);
