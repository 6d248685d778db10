import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { newEvent, type StoredEvent } from '../../src/delivery/completion-rule.js';
import { Destination } from '../../src/destination/destination.js';
import { track } from '../destination/track.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { seal } from '../store/seal.js';
import type { RedisServer } from './redis-server.js';
import { openStorage, startRedis } from './storage.js';

const URL_A = 'https://a.example/';

/** Sets how much memory Redis may use, in bytes; 0 means no limit. */
async function memoryOf({
  url,
}: RedisServer): Promise<{ limit(bytes: number): Promise<unknown>; used(): Promise<number> }> {
  const redis = new Redis(url);
  onTestFinished(() => redis.disconnect());
  const used = async (): Promise<number> => Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
  return { limit: (bytes) => redis.config('SET', 'maxmemory', bytes), used };
}

test('the outcome of a delivery is recorded even if Redis has no memory left', async () => {
  const server = await startRedis();
  const [storage, memory] = [await openStorage(server), await memoryOf(server)];
  const store = await storage.deliveries('orders');
  const ids = ['delivered', 'retried', 'retried again', 'dead'];
  for (const id of ids) await store.add(newEvent(id, 'track', [URL_A], 1_000), new Uint8Array(2_000));
  await memory.limit(1_000_000);
  await expect(store.add(newEvent('new', 'track', [URL_A], 1_000), new Uint8Array(10))).rejects.toThrow('OOM');
  const retried =
    (due: number) =>
    (event: StoredEvent): StoredEvent => ({
      ...event,
      urls: { [URL_A]: { phase: 'retrying', due, firstAttemptAt: 1, attempts: 1, history: [] } },
    });
  await store.update('delivered', () => undefined);
  await store.update('retried', retried(2_000));
  await store.update('retried again', retried(2_000));
  await store.update('retried again', retried(3_000));
  await store.update('dead', (event) => ({
    ...event,
    isDead: true,
    urls: { [URL_A]: { phase: 'dead', at: 2_000, reason: 'permanent', history: [] } },
  }));
  expect(await store.event('delivered')).toBeUndefined();
  expect(await store.waiting(URL_A, 'first', undefined, 10)).toEqual([]);
  expect(await store.waiting(URL_A, 'retry', undefined, 10)).toEqual([
    { id: 'retried', at: 2_000 },
    { id: 'retried again', at: 3_000 },
  ]);
  expect(await store.dead(undefined, 10)).toEqual([{ id: 'dead', at: 1_000 }]);
});

test('new events are refused before Redis runs out of memory, and accepted when it has memory again', async () => {
  const server = await startRedis();
  const [storage, memory] = [await openStorage(server), await memoryOf(server)];
  storage.assertRoom();
  await memory.limit(Math.ceil((await memory.used()) * 1.05));
  await expect(storage.check()).rejects.toMatchObject({ code: 'EVENTFERRY_STORE_FULL' });
  expect(() => storage.assertRoom()).toThrow(/The store in Redis takes no new events/);
  await memory.limit(0);
  await storage.check();
  storage.assertRoom();
});

test('without memory left in Redis, waiting deliveries are sent and free memory, and retries follow once there is some', async () => {
  const server = await startRedis();
  const memory = await memoryOf(server);
  const endpoint = await startEndpoint({ status: 503, headers: { 'retry-after': '1' } }, 200);
  const store = await (await openStorage(server)).deliveries('orders');
  const settings = { webhooks: [{ url: endpoint.url }], allowLoopback: true, concurrency: 4, store: seal(store) };
  const destination = await Destination.open(settings);
  onTestFinished(() => destination.close({ timeout: 0 }));
  await memory.limit(1_000_000);
  await expect(destination.deliver(track('refused'))).rejects.toThrow('OOM');
  await memory.limit(0);
  destination.setPaused(true);
  const ids = Array.from({ length: 50 }, (_, index) => `m${index}`);
  await Promise.all(ids.map((id) => destination.deliver(track(id))));
  await memory.limit(1_000_000);
  destination.setPaused(false);
  await expect.poll(() => destination.counters().delivered).toBe(49);
  await memory.limit(0);
  await destination.idle();
  expect(destination.counters()).toMatchObject({ attempts: 51, delivered: 50 });
});
