import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newEvent } from '../../src/delivery/completion-rule.js';
import type { RedisStore } from '../../src/store/redis/redis-store.js';
import { describeLanes } from '../store/lanes-conformance.js';
import { deliveriesIn } from '../store/storage-under-test.js';
import { RedisServer } from './redis-server.js';
import { claimAt, openStore, redisUnderTest } from './storage.js';

const URL_A = 'https://a.example/';
const ANN = 'ann-------------';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

describeLanes(deliveriesIn(redisUnderTest(() => server)));

const add = (store: RedisStore, id: string) =>
  store.add({ ...newEvent(id, 'track', [URL_A], 1_000, { bytes: 2, user: ANN }), isOrdered: true }, Buffer.from('{}'));

const forget = (store: RedisStore, ids: readonly string[]) =>
  Promise.all(ids.map((id) => store.update(id, () => undefined)));

test("no process can claim a user's next delivery before the previous one has ended", async () => {
  const prefix = randomUUID();
  const [one, other] = [await openStore(server, prefix), await openStore(server, prefix)];
  await add(one, 'm1');
  await add(other, 'm2');
  expect(await claimAt(one, URL_A, 9)).toEqual(['m1']);
  expect(await claimAt(other, URL_A, 9)).toEqual([]);
  await forget(one, ['m1']);
  expect(await claimAt(other, URL_A, 9)).toEqual(['m2']);
});

test("after deliveries of a user end together, the user's next one is ready", async () => {
  const store = await openStore(server);
  for (const id of ['m1', 'm2', 'm3', 'm4']) await add(store, id);
  await forget(store, ['m2', 'm1', 'm3']);
  expect(await claimAt(store, URL_A, 9)).toEqual(['m4']);
  await forget(store, ['m4']);
  expect(await store.backlog()).toEqual([]);
  const { behind, lanes, heads } = store.parts[0].keys.line(URL_A);
  expect(await server.look((redis) => redis.exists(behind, lanes, heads))).toBe(0);
});

test('a lane is not blocked by a head that is gone from the store', async () => {
  const store = await openStore(server);
  for (const id of ['m1', 'm2']) await add(store, id);
  await server.look((redis) => redis.hdel(store.parts[0].keys.events, 'm1'));
  const { claims } = store.parts[0].connection;
  const [claimed] = await claims.ask({ keys: store.parts[0].keys, url: URL_A, windowMs: 14_400_000, count: () => 1 });
  await store.parts[0].leases(URL_A).drop('m1', claimed?.until ?? '');
  await store.parts[0].counts.of(URL_A, { after: '', unreadable: [] });
  expect(await claimAt(store, URL_A, 9)).toEqual(['m2']);
});
