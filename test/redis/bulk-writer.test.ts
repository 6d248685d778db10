import { afterAll, beforeAll, expect, test } from 'vitest';
import { newEvent, type StoredEvent } from '../../src/delivery/completion-rule.js';
import type { RedisStore } from '../../src/store/redis/redis-store.js';
import { RedisServer } from './redis-server.js';
import { claimAt, openStorage, openStore } from './storage.js';

const URL_A = 'https://a.example/';
const URL_B = 'https://b.example/';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

const delivered = (url: string) => (event: StoredEvent) => ({
  ...event,
  urls: { ...event.urls, [url]: { phase: 'delivered', at: 2_000, history: [] } as const },
});

const scripts = () =>
  server.look(async (redis) => Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0));

test('the outcomes of many events in one turn go to Redis as one script, whatever their destination', async () => {
  const storage = await openStorage(server);
  const stores = (await Promise.all(['orders', 'visits'].map((name) => storage.deliveries(name)))) as RedisStore[];
  const ids = Array.from({ length: 50 }, (_, index) => `m${index}`);
  for (const store of stores) {
    for (const id of ['known', ...ids]) await store.add(newEvent(id, 'track', [URL_A], 1_000), new Uint8Array(10));
    await store.update('known', () => undefined);
    await claimAt(store, URL_A, ids.length);
  }
  const before = await scripts();
  await Promise.all(stores.flatMap((store) => ids.map((id) => store.update(id, () => undefined))));
  expect((await scripts()) - before).toBe(1);
  for (const store of stores) expect(await store.backlog()).toEqual([]);
});

test('changes with long records are written with several scripts, because Redis does nothing else meanwhile', async () => {
  const store = await openStore(server);
  const ids = Array.from({ length: 100 }, (_, index) => `m${index}`);
  for (const id of ['known', ...ids]) await store.add(newEvent(id, 'track', [URL_A], 1_000), new Uint8Array(10));
  await store.update('known', () => undefined);
  await claimAt(store, URL_A, ids.length);
  const failure = {
    at: 1_500,
    durationMs: 9,
    result: 'server-error',
    status: 500,
    answer: 'x'.repeat(50_000),
  } as const;
  const failed = { phase: 'retrying', due: 9_000, firstAttemptAt: 1_500, attempts: 1, history: [failure] } as const;
  const before = await scripts();
  await Promise.all(ids.map((id) => store.update(id, (event) => ({ ...event, urls: { [URL_A]: failed } }))));
  expect((await scripts()) - before).toBe(2);
  expect(await store.backlog()).toMatchObject([{ first: 0, retry: ids.length }]);
});

test('two changes of one event in one turn are both made', async () => {
  const store = await (await openStorage(server)).deliveries('orders');
  await store.add(newEvent('m1', 'track', [URL_A, URL_B], 1_000), new Uint8Array(10));
  await Promise.all([URL_A, URL_B].map((url) => store.update('m1', delivered(url))));
  expect(Object.values((await store.event('m1'))?.urls ?? {}).map(({ phase }) => phase)).toEqual([
    'delivered',
    'delivered',
  ]);
  expect(await store.backlog()).toEqual([]);
});

test('the outcome of an event at one URL leaves its claim at another', async () => {
  const store = await openStore(server);
  await store.add(newEvent('m1', 'track', [URL_A, URL_B], 1_000), new Uint8Array(10));
  expect(await claimAt(store, URL_B, 1)).toEqual(['m1']);
  await store.update('m1', delivered(URL_A));
  expect(await claimAt(store, URL_B, 1)).toEqual([]);
  expect(await store.backlog()).toMatchObject([{ url: URL_B, first: 1 }]);
});
