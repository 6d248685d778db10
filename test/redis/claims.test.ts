import { afterAll, beforeAll, expect, test } from 'vitest';
import { newEvent } from '../../src/delivery/completion-rule.js';
import type { RedisStore } from '../../src/store/redis/redis-store.js';
import { RedisServer } from './redis-server.js';
import { openStorage, QUICK } from './storage.js';

const URL_A = 'https://a.example/';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

const scripts = () =>
  server.look(async (redis) => Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0));

async function openStores() {
  const storage = await openStorage(server);
  const stores = await Promise.all(['orders', 'visits', 'empty'].map((name) => storage.deliveries(name)));
  const [orders, visits, empty] = stores as [RedisStore, RedisStore, RedisStore];
  for (const [index, id] of ['m1', 'm2', 'm3'].entries()) {
    for (const store of [orders, visits])
      await store.add(newEvent(id, 'track', [URL_A], 1_000 + index, { bytes: id.length }), Buffer.from(id));
  }
  const claim = (store: RedisStore, count: number) =>
    store.parts[0].connection.claims.ask({
      keys: store.parts[0].keys,
      url: URL_A,
      windowMs: 60_000,
      count: () => count,
    });
  return { orders, visits, empty, claim };
}

test('endpoints that claim in one turn share one script, and each gets its own deliveries with their bodies', async () => {
  const { orders, visits, empty, claim } = await openStores();
  await claim(empty, 1);
  const before = await scripts();
  const claimed = await Promise.all([claim(orders, 2), claim(empty, 2), claim(visits, 0), claim(visits, 1)]);
  expect((await scripts()) - before).toBe(1);
  expect(claimed.map((each) => each.map(({ id, place }) => [id, place]))).toEqual([
    [
      ['m1', '1000'],
      ['m2', '1001'],
    ],
    [],
    [],
    // It was the second message stored in that millisecond, whatever its destination.
    [['m1', String(1_000 + 1 / 1_024)]],
  ]);
  const bodies = claimed
    .flat()
    .map((each) => Buffer.from(orders.parts[0].noteClaimed(URL_A, each)?.body ?? []).toString());
  expect(bodies).toEqual(['m1', 'm2', 'm1']);
});

test('Redis sends the record of a message once for all endpoints that claim it in one script', async () => {
  const { orders, visits, claim } = await openStores();
  const body = Buffer.alloc(100_000, 'x');
  const event = newEvent('big', 'track', [URL_A], 2_000);
  const deliveries = [orders, visits].map(({ parts }) => ({ store: parts[0], event }));
  await orders.parts[0].connection.intake.take([{ seen: undefined, body, deliveries }]);
  await Promise.all([claim(orders, 3), claim(visits, 3)]);
  const sent = () =>
    server.look(async (redis) => Number(/total_net_output_bytes:(\d+)/.exec(await redis.info('stats'))?.[1]));
  const before = await sent();
  const claimed = await Promise.all([claim(orders, 1), claim(visits, 1)]);
  expect((await sent()) - before).toBeLessThan(1.5 * body.length);
  expect(claimed.flat().map((each) => orders.parts[0].noteClaimed(URL_A, each)?.body.length)).toEqual([
    body.length,
    body.length,
  ]);
});

test('a claim on Redis returns the end of its lease as Redis stores it', async () => {
  const { orders, claim } = await openStores();
  const [[claimed], time] = await Promise.all([claim(orders, 1), server.look((redis) => redis.time())]);
  const score = await server.look((redis) => redis.zscore(orders.parts[0].keys.line(URL_A).timed, 'm1'));
  expect(claimed?.until).toBe(score);
  expect(Math.abs(-Number(score) - Number(time[0]) * 1_000 - QUICK.leaseMs)).toBeLessThan(QUICK.leaseMs);
});

test('a delivery on Redis whose event is gone is claimed without an event', async () => {
  const { orders, claim } = await openStores();
  await server.look((redis) => redis.hdel(orders.parts[0].connection.partition.records, 'm1'));
  const [gone, there] = await claim(orders, 2);
  expect(gone).toMatchObject({ id: 'm1', text: undefined, message: undefined });
  expect(there && orders.parts[0].noteClaimed(URL_A, there)?.event.id).toBe('m2');
});

test('a delivery on Redis whose lease has ended is claimed before those that were never tried', async () => {
  const { orders, claim } = await openStores();
  await claim(orders, 1);
  await server.look((redis) => redis.zadd(orders.parts[0].keys.line(URL_A).timed, -2_000, 'm1'));
  const namesOf = async (count: number) => (await claim(orders, count)).map(({ id, place }) => [id, place]);
  expect(await namesOf(1)).toEqual([['m1', undefined]]);
  await server.look((redis) => redis.zadd(orders.parts[0].keys.line(URL_A).timed, -2_000, 'm1'));
  expect(await namesOf(3)).toEqual([
    ['m2', '1001'],
    ['m3', '1002'],
    ['m1', undefined],
  ]);
});
