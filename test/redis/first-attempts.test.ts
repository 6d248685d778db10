import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { newEvent } from '../../src/delivery/completion-rule.js';
import type { FirstAttempts } from '../../src/store/redis/first-attempts.js';
import { firstDueAt } from '../../src/store/redis/redis-index.js';
import { openRedisStorage } from '../../src/store/redis/redis-storage.js';
import { RedisStore } from '../../src/store/redis/redis-store.js';
import { RedisServer } from './redis-server.js';
import { KILLED } from './storage.js';

const URL_A = 'https://a.example/';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

/** The first attempts as one of several processes has them. `kill` lets it renew nothing any more. */
async function openProcess(prefix: string) {
  const storage = await openRedisStorage({ url: server.url, prefix, onWarning: () => undefined }, KILLED);
  const kill = () => storage.close();
  onTestFinished(kill);
  const store = await storage.deliveries('orders');
  if (!(store instanceof RedisStore)) throw new Error('Another store than was expected');
  const add = (...ids: string[]) =>
    Promise.all(ids.map((id, index) => store.add(newEvent(id, 'track', [URL_A], 1_000 + index), Buffer.from(id))));
  return { store, kill, add, firsts: store.firstAttempts(URL_A) };
}

const claim = async (firsts: FirstAttempts, count: number): Promise<string[]> =>
  (await firsts.claim(() => count)).map(({ id }) => id);

const takeBack = (store: RedisStore, firsts: FirstAttempts): Promise<number> =>
  firsts.takeBack(async (id) => {
    const event = await store.event(id);
    return event && firstDueAt(URL_A, event);
  });

test('a first attempt is claimed by one process, the earliest first, with its event and body', async () => {
  const prefix = randomUUID();
  const [one, other] = [await openProcess(prefix), await openProcess(prefix)];
  await one.add('m1', 'm2', 'm3');
  const [first, ...more] = await one.firsts.claim(() => 2);
  expect(first).toMatchObject({ id: 'm1', at: 1_000 });
  expect(first && one.store.noteClaimed(URL_A, first)).toEqual({
    event: newEvent('m1', 'track', [URL_A], 1_000),
    body: Buffer.from('m1'),
  });
  expect(more.map(({ id }) => id)).toEqual(['m2']);
  expect(await claim(other.firsts, 2)).toEqual(['m3']);
  expect(await claim(other.firsts, 2)).toEqual([]);
});

test('a first attempt that is claimed still waits', async () => {
  const { store, add, firsts } = await openProcess(randomUUID());
  await add('m1', 'm2', 'm3');
  await claim(firsts, 2);
  const keys = [1, 2, 3].map((number) => ({ at: 999 + number, id: `m${number}` }));
  expect(await store.waiting(URL_A, 'first', undefined, 10)).toEqual(keys);
  expect(await store.waiting(URL_A, 'first', keys[0], 1)).toEqual([keys[1]]);
  expect(await store.backlog()).toMatchObject([{ url: URL_A, first: 3, retry: 0 }]);
  expect(await store.counts.of(URL_A)).toMatchObject({ first: 3, unclaimed: 1 });
});

test('a claim ends as it is written down what became of the event', async () => {
  const { store, add, firsts } = await openProcess(randomUUID());
  await add('m1');
  await claim(firsts, 1);
  await store.update('m1', () => undefined);
  expect(await store.backlog()).toEqual([]);
});

test('what a process puts back goes to another at once', async () => {
  const prefix = randomUUID();
  const [one, other] = [await openProcess(prefix), await openProcess(prefix)];
  await one.add('m1', 'm2');
  await claim(one.firsts, 2);
  await one.firsts.putBack(['m2']);
  expect(await other.firsts.claim(() => 2)).toMatchObject([{ id: 'm2', at: 1_001 }]);
});

test('what a dead process had claimed goes to another once its lease is over, and not before', async () => {
  const prefix = randomUUID();
  const [one, other] = [await openProcess(prefix), await openProcess(prefix)];
  await one.add('m1', 'm2');
  await claim(one.firsts, 2);
  await one.kill();
  expect(await takeBack(other.store, other.firsts)).toBe(0);
  await expect.poll(() => takeBack(other.store, other.firsts), { timeout: 10_000 }).toBe(2);
  expect(await claim(other.firsts, 3)).toEqual(['m1', 'm2']);
});

test('the lease of an attempt that takes long is renewed', async () => {
  const { store, add, firsts } = await openProcess(randomUUID());
  await add('m1');
  const [claimed] = await firsts.claim(() => 1);
  const claimedKey = store.keys.claimed(URL_A);
  const until = () => server.look(async (redis) => Number(await redis.zscore(claimedKey, 'm1')));
  await expect.poll(until, { timeout: 20_000 }).toBeGreaterThan(Number(claimed?.until) + KILLED.lockMs);
  expect(await takeBack(store, firsts)).toBe(0);
});

test('a lease is renewed also after an answer to its renewal was lost', async () => {
  const { store, add, firsts } = await openProcess(randomUUID());
  await add('m1');
  const [claimed] = await firsts.claim(() => 1);
  const claimedKey = store.keys.claimed(URL_A);
  const until = () => server.look(async (redis) => Number(await redis.zscore(claimedKey, 'm1')));
  const { link } = store.connection;
  const run = link.run.bind(link);
  let lost = 0;
  link.run = async (...args) => {
    const answer = await run(...args);
    if (!Array.isArray(answer) || lost === 2) return answer;
    lost++;
    throw new Error('The answer is lost');
  };
  await expect.poll(until, { timeout: 20_000 }).toBeGreaterThan(Number(claimed?.until) + 2 * KILLED.lockMs);
  expect(lost).toBe(2);
});

test('a process whose lease ran out cannot put back what another has claimed since', async () => {
  const prefix = randomUUID();
  const [one, other] = [await openProcess(prefix), await openProcess(prefix)];
  await one.add('m1');
  await claim(one.firsts, 1);
  await server.look((redis) => redis.zadd(one.store.keys.claimed(URL_A), 1, 'm1'));
  expect(await takeBack(other.store, other.firsts)).toBe(1);
  expect(await claim(other.firsts, 1)).toEqual(['m1']);
  await one.firsts.putBack(['m1']);
  expect(await claim(one.firsts, 1)).toEqual([]);
});

test('an index that names an event which is no more loses the line', async () => {
  const { store, add, firsts } = await openProcess(randomUUID());
  await add('m1');
  await server.look((redis) => redis.hdel(store.keys.events, 'm1'));
  expect(await firsts.claim(() => 1)).toMatchObject([{ id: 'm1', text: undefined }]);
  await firsts.drop('m1');
  expect(await store.backlog()).toEqual([]);
});
