import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newEvent } from '../../src/delivery/completion-rule.js';
import type { EventStore } from '../../src/store/event-store.js';
import type { RedisStore } from '../../src/store/redis/redis-store.js';
import { KEEP_MS } from '../../src/store/storage.js';
import { describeIntake } from '../store/intake-conformance.js';
import { RedisServer } from './redis-server.js';
import { openStorage, redisUnderTest, startRedis } from './storage.js';

const URL_A = 'https://a.example/';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

describeIntake(redisUnderTest(() => server));

const eventOf = (id: string, url = URL_A) => newEvent(id, 'track', [url], 1_000, { source: 'web', bytes: 2 });

const intakeOf = (id: string, stores: readonly EventStore[]) => ({
  id,
  body: Buffer.from('{}'),
  deliveries: stores.map((store) => ({ store, event: eventOf(id) })),
});

async function openStores(prefix: string, count: number) {
  const storage = await openStorage(server, prefix);
  const names = Array.from({ length: count }, (_, index) => `d${index}`);
  const stores = (await Promise.all(names.map((name) => storage.deliveries(name)))) as RedisStore[];
  const kept = () =>
    server.look((redis) => Promise.all(['messages', 'references'].map((name) => redis.hlen(`{${prefix}}:${name}`))));
  return { storage, stores, kept };
}

test('a body on Redis is stored once for all destinations, and freed when the last one is done', async () => {
  const { storage, stores, kept } = await openStores(randomUUID(), 3);
  expect(await storage.takeIn('web', [intakeOf('m1', stores)])).toEqual([['m1', 'm1', 'm1']]);
  expect(await kept()).toEqual([1, 1]);
  const [first, ...others] = stores;
  await first?.update('m1', () => undefined);
  for (const store of others) {
    expect(await store.event('m1')).toEqual(eventOf('m1'));
    expect(await store.body('m1')).toEqual(Buffer.from('{}'));
  }
  // Both changes are in one script.
  await Promise.all(others.map((store) => store.update('m1', () => undefined)));
  expect(await kept()).toEqual([0, 0]);
});

test('a body on Redis stays while its event waits for a retry or is dead', async () => {
  const { storage, stores, kept } = await openStores(randomUUID(), 1);
  const [store] = stores as [RedisStore];
  await storage.takeIn('web', [intakeOf('m1', stores)]);
  const dead = { phase: 'dead', at: 2_000, reason: 'permanent', history: [] } as const;
  await store.update('m1', (event) => ({ ...event, isDead: true, urls: { [URL_A]: dead } }));
  expect(await store.event('m1')).toEqual({ ...eventOf('m1'), isDead: true, urls: { [URL_A]: dead } });
  expect(await store.body('m1')).toEqual(Buffer.from('{}'));
  await store.update('m1', () => undefined);
  expect(await kept()).toEqual([0, 0]);
});

test('a new message under a forgotten id does not change the body that is still stored', async () => {
  const prefix = randomUUID();
  const { storage, stores } = await openStores(prefix, 2);
  const [one, other] = stores as [RedisStore, RedisStore];
  await storage.takeIn('web', [intakeOf('m1', [one])]);
  await server.pass(prefix, KEEP_MS);
  const again = { ...intakeOf('m1', [one, other]), body: Buffer.from('[]') };
  expect(await storage.takeIn('web', [again])).toEqual([[undefined, 'm1']]);
  expect([await one.body('m1'), await other.body('m1')].map(String)).toEqual(['{}', '[]']);
});

test('a message that Redis had no memory for is new when it is sent again', async () => {
  const own = await startRedis();
  const storage = await openStorage(own);
  const store = await storage.deliveries('crm');
  await own.look((redis) => redis.config('SET', 'maxmemory', 1_000_000));
  await expect(storage.takeIn('web', [intakeOf('m1', [store])])).rejects.toThrow('OOM');
  await own.look((redis) => redis.config('SET', 'maxmemory', 0));
  expect(await storage.takeIn('web', [intakeOf('m1', [store])])).toEqual([['m1']]);
});
