import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/base/time/clock.js';
import { newEvent } from '../../src/delivery/completion-rule.js';
import { SharedQueue } from '../../src/scheduler/shared-queue.js';
import type { TakenDelivery } from '../../src/store/line.js';
import type { RedisStore } from '../../src/store/redis/redis-store.js';
import { RedisServer } from './redis-server.js';
import { openStorage, openStore, QUICK } from './storage.js';

const URL_A = 'https://a.example/';
const WINDOW_MS = 60_000;

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

/** Opens the queue of one of several processes with room for `size` deliveries, and takes everything that it offers. */
function openLine(store: RedisStore, size = 10) {
  const taken: TakenDelivery[] = [];
  const pump = (): void => {
    while (taken.length < size) {
      const next = queue.take();
      if (next === undefined) break;
      taken.push(next);
    }
    queue.fill();
  };
  const queue = new SharedQueue({
    store,
    url: URL_A,
    clock: systemClock(),
    windowMs: WINDOW_MS,
    backlog: 0,
    room: () => size - taken.length,
    ahead: () => 0,
    onNews: pump,
    onCounted: () => undefined,
    onError: () => undefined,
  });
  onTestFinished(() => queue.stop());
  return { queue, taken, ids: () => taken.map(({ item }) => item.id) };
}

const retryAt = (due: number, firstAttemptAt = due - 5_000) =>
  ({ phase: 'retrying', due, firstAttemptAt, attempts: 1, history: [] }) as const;

const add = (store: RedisStore, id: string, at = Date.now()) =>
  store.add(newEvent(id, 'track', [URL_A], at, { bytes: 2 }), Buffer.from('{}'));

async function addRetry(store: RedisStore, id: string, due: number, firstAttemptAt?: number): Promise<void> {
  await add(store, id, due - 5_000);
  await store.update(id, (event) => ({ ...event, urls: { [URL_A]: retryAt(due, firstAttemptAt) } }));
}

test('a line on Redis offers untried deliveries first, then retries as they become due', async () => {
  const store = await openStore(server);
  const due = Date.now() + 600;
  await addRetry(store, 'later', due);
  await addRetry(store, 'retry', Date.now() - 1_000);
  await add(store, 'first');
  const { ids } = openLine(store);
  await expect.poll(ids).toEqual(['first', 'retry', 'later']);
  expect(Date.now()).toBeGreaterThanOrEqual(due);
});

test('a delivery that one process has taken is not taken by another, and counts as waiting until it is settled', async () => {
  const prefix = randomUUID();
  const [one, other] = [await openStore(server, prefix), await openStore(server, prefix)];
  for (const id of ['m1', 'm2', 'm3']) await add(one, id);
  const lines = [openLine(one), openLine(other)];
  const all = () => lines.flatMap(({ ids }) => ids()).toSorted();
  await expect.poll(all).toEqual(['m1', 'm2', 'm3']);
  await expect.poll(() => lines.map(({ queue }) => queue.waiting)).toEqual([3, 3]);
  for (const id of ['m1', 'm2', 'm3']) await one.update(id, () => undefined);
  for (const { queue, taken } of lines) for (const each of taken) queue.settle(each);
  await expect.poll(() => lines.map(({ queue }) => queue.waiting)).toEqual([0, 0]);
});

test('a delivery that a line on Redis puts back is taken again', async () => {
  const store = await openStore(server);
  await add(store, 'm1');
  const { queue, taken, ids } = openLine(store);
  await expect.poll(ids).toEqual(['m1']);
  const [first] = taken.splice(0);
  if (first !== undefined) queue.putBack(first);
  await expect.poll(ids).toEqual(['m1']);
});

test('a line that stops hands its deliveries to another process immediately', async () => {
  const prefix = randomUUID();
  const long = { ...QUICK, leaseMs: 60_000 };
  const [one, other] = [await openStore(server, prefix, long), await openStore(server, prefix, long)];
  await add(one, 'm1');
  const first = openLine(one);
  await expect.poll(first.ids).toEqual(['m1']);
  first.queue.stop();
  for (const taken of first.taken) first.queue.putBack(taken);
  await first.queue.quiet();
  await expect.poll(openLine(other).ids).toEqual(['m1']);
});

test('a retry is taken without its body if its window is over', async () => {
  const store = await openStore(server);
  const now = Date.now();
  await addRetry(store, 'over', now - 2, now - WINDOW_MS - 1_000);
  await addRetry(store, 'in time', now - 1);
  const { taken, ids } = openLine(store);
  await expect.poll(ids).toEqual(['over', 'in time']);
  expect(taken.map(({ item }) => item.body?.toString())).toEqual([undefined, '{}']);
});

test('another process takes first attempts and retries of a dead process once their leases have ended', async () => {
  const prefix = randomUUID();
  const intervals = { ...QUICK, leaseMs: 1_000 };
  const dead = await openStorage(server, prefix, { intervals });
  const [one, other] = [(await dead.deliveries('orders')) as RedisStore, await openStore(server, prefix, intervals)];
  await add(one, 'first');
  await addRetry(one, 'retry', Date.now() - 1);
  await expect.poll(openLine(one).ids).toEqual(['first', 'retry']);
  await dead.close();
  const { ids } = openLine(other);
  await expect.poll(() => ids().toSorted()).toEqual(['first', 'retry']);
});

test('watching a URL without a line reports deliveries that another process adds, due or not', async () => {
  const prefix = randomUUID();
  const [watching, adding] = await Promise.all(
    [1, 2].map(async () => openStorage(server, prefix, { intervals: QUICK })),
  );
  const store = (await watching?.deliveries('orders')) as RedisStore;
  const other = (await adding?.deliveries('orders')) as RedisStore;
  const told: string[] = [];
  for (const url of [URL_A, 'https://quiet.example/'])
    onTestFinished(store.watch(url, WINDOW_MS, () => told.push(url)));
  await addRetry(other, 'later', Date.now() + 30_000);
  await expect.poll(() => told.length).toBeGreaterThan(0);
  expect(new Set(told)).toEqual(new Set([URL_A]));
});

test('a line whose claims all fail reports since when a delivery is due, even if it cannot be counted either', async () => {
  const store = await openStore(server);
  await add(store, 'm1');
  const { connection, keys } = store.parts[0];
  await connection.partition.link.ask((redis) => redis.set(keys.line(URL_A).timed, 'damaged'));
  const openedAt = Date.now();
  const { queue } = openLine(store);
  await expect.poll(() => queue.oldestDue ?? 0).toBeGreaterThanOrEqual(openedAt);
  await connection.partition.link.ask((redis) => redis.del(keys.line(URL_A).timed));
});
