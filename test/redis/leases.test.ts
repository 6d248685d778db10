import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { newEvent } from '../../src/delivery/completion-rule.js';
import { openRedisStorage } from '../../src/store/redis/redis-storage.js';
import { RedisStore } from '../../src/store/redis/redis-store.js';
import { MOST_DELIVERIES } from '../../src/store/redis/script-bounds.js';
import { RedisServer } from './redis-server.js';
import { claimAt, KILLED } from './storage.js';

const URL_A = 'https://a.example/';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

/** Opens the line in one of several processes. `kill` stops the renewals. */
async function openProcess(prefix: string) {
  const storage = await openRedisStorage({ url: server.url, prefix, onWarning: () => undefined }, KILLED);
  const kill = () => storage.close();
  onTestFinished(kill);
  const store = await storage.deliveries('orders');
  if (!(store instanceof RedisStore)) throw new Error('Another store than was expected');
  const add = (...ids: string[]) =>
    Promise.all(ids.map((id, index) => store.add(newEvent(id, 'track', [URL_A], 1_000 + index), Buffer.from(id))));
  const claim = (count: number) => claimAt(store, URL_A, count);
  /** Returns when the lease ends, by the clock of Redis. */
  const leaseOf = (id: string) =>
    server.look(async (redis) => -Number(await redis.zscore(store.parts[0].keys.line(URL_A).timed, id)));
  return { store, kill, add, claim, leaseOf, leases: store.parts[0].leases(URL_A) };
}

const retryAt = (due: number) =>
  ({ phase: 'retrying', due, firstAttemptAt: due - 5_000, attempts: 1, history: [] }) as const;

test('a delivery is claimed by one process, the earliest first', async () => {
  const prefix = randomUUID();
  const [one, other] = [await openProcess(prefix), await openProcess(prefix)];
  await one.add('m1', 'm2', 'm3');
  expect(await one.claim(2)).toEqual(['m1', 'm2']);
  expect(await other.claim(2)).toEqual(['m3']);
  expect(await other.claim(2)).toEqual([]);
});

test('first attempts are claimed before retries that are due, and a retry that is not due is not claimed', async () => {
  const { store, add, claim } = await openProcess(randomUUID());
  await add('m1', 'm2', 'm3', 'm4');
  const now = Date.now();
  for (const [id, due] of [
    ['m1', now - 2_000],
    ['m2', now - 3_000],
    ['m3', now + 60_000],
  ] as const) {
    await store.update(id, (event) => ({ ...event, urls: { [URL_A]: retryAt(due) } }));
  }
  expect(await claim(2)).toEqual(['m4', 'm2']);
  expect(await claim(9)).toEqual(['m1']);
});

test('a retry that lies too far ahead because the clock was set back is claimed', async () => {
  const { store, add, claim } = await openProcess(randomUUID());
  await add('m1');
  const inTwoDays = Date.now() + 48 * 60 * 60_000;
  await store.update('m1', (event) => ({ ...event, urls: { [URL_A]: retryAt(inTwoDays) } }));
  expect(await claim(1)).toEqual(['m1']);
});

test('a claimed delivery still counts as waiting', async () => {
  const { store, add, claim } = await openProcess(randomUUID());
  await add('m1', 'm2', 'm3');
  await claim(2);
  const keys = [1, 2, 3].map((number) => ({ at: 999 + number, id: `m${number}` }));
  expect(await store.waiting(URL_A, 'first', undefined, 10)).toEqual(keys);
  expect(await store.waiting(URL_A, 'first', keys[0], 1)).toEqual([keys[1]]);
  expect(await store.backlog()).toMatchObject([{ url: URL_A, first: 3, retry: 0 }]);
});

test('a claim ends when the outcome of its event is written', async () => {
  const { store, add, claim } = await openProcess(randomUUID());
  await add('m1');
  await claim(1);
  await store.update('m1', () => undefined);
  expect(await store.backlog()).toEqual([]);
});

test('a delivery that one process puts back can be claimed by another immediately, in its old place', async () => {
  const prefix = randomUUID();
  const [one, other] = [await openProcess(prefix), await openProcess(prefix)];
  await one.add('m1', 'm2', 'm3');
  await one.claim(2);
  await one.leases.putBack(['m2']);
  expect(await other.claim(3)).toEqual(['m2', 'm3']);
});

test('a retry that one process puts back can be claimed by another immediately', async () => {
  const prefix = randomUUID();
  const [one, other] = [await openProcess(prefix), await openProcess(prefix)];
  await one.add('m1');
  await one.store.update('m1', (event) => ({ ...event, urls: { [URL_A]: retryAt(Date.now() - 1) } }));
  expect(await one.claim(1)).toEqual(['m1']);
  expect(await other.claim(1)).toEqual([]);
  await one.leases.putBack(['m1']);
  expect(await other.claim(1)).toEqual(['m1']);
});

test("another process gets a dead process's delivery once its lease has ended, and not before", async () => {
  const prefix = randomUUID();
  const [one, other] = [await openProcess(prefix), await openProcess(prefix)];
  await one.add('m1', 'm2');
  await one.claim(2);
  await one.kill();
  expect(await other.claim(3)).toEqual([]);
  const claimed: string[] = [];
  await expect.poll(async () => claimed.push(...(await other.claim(3))), { timeout: 10_000 }).toBe(2);
  expect(claimed.toSorted()).toEqual(['m1', 'm2']);
});

test('the lease of a long attempt is renewed', async () => {
  const prefix = randomUUID();
  const [one, other] = [await openProcess(prefix), await openProcess(prefix)];
  await one.add('m1');
  await one.claim(1);
  const until = await one.leaseOf('m1');
  await expect.poll(() => one.leaseOf('m1'), { timeout: 20_000 }).toBeGreaterThan(until + KILLED.leaseMs);
  expect(await other.claim(1)).toEqual([]);
});

test('a lease is renewed even after the answer to a renewal was lost', async () => {
  const { store, add, claim, leaseOf } = await openProcess(randomUUID());
  await add('m1');
  await claim(1);
  const until = await leaseOf('m1');
  const { link } = store.parts[0].connection.partition;
  const run = link.run.bind(link);
  let lost = 0;
  link.run = async (...args) => {
    const answer = await run(...args);
    if (!Array.isArray(answer) || lost === 2) return answer;
    lost++;
    throw new Error('The answer is lost');
  };
  await expect.poll(() => leaseOf('m1'), { timeout: 20_000 }).toBeGreaterThan(until + 2 * KILLED.leaseMs);
  expect(lost).toBe(2);
});

test('a process whose lease ended cannot put back what another has claimed since', async () => {
  const prefix = randomUUID();
  const [one, other] = [await openProcess(prefix), await openProcess(prefix)];
  await one.add('m1');
  await one.claim(1);
  await server.look((redis) => redis.zadd(one.store.parts[0].keys.line(URL_A).timed, -1, 'm1'));
  expect(await other.claim(1)).toEqual(['m1']);
  await one.leases.putBack(['m1']);
  expect(await one.claim(1)).toEqual([]);
});

test('a delivery whose event is gone is removed from its line', async () => {
  const { store, add, leases } = await openProcess(randomUUID());
  await add('m1');
  await server.look(async (redis) => {
    await redis.hdel(store.parts[0].keys.events, 'm1');
    await redis.hdel(store.parts[0].connection.partition.records, 'm1');
  });
  const request = { keys: store.parts[0].keys, url: URL_A, windowMs: 60_000, count: () => 1 };
  const [gone] = await store.parts[0].connection.claims.ask(request);
  expect(gone).toMatchObject({ id: 'm1', text: undefined, message: undefined });
  await leases.drop('m1', gone?.until ?? '');
  expect(await server.look((redis) => redis.exists(store.parts[0].keys.line(URL_A).timed))).toBe(0);
});

test('many claims are put back and counted by stage', async () => {
  const { store, add, claim, leases } = await openProcess(randomUUID());
  const ids = Array.from({ length: 2 * MOST_DELIVERIES + 20 }, (_, index) => `m${index}`);
  await add(...ids);
  const now = Date.now();
  // Deliveries that were tried before are claimed last.
  const tried = ids.slice(-MOST_DELIVERIES);
  await Promise.all(
    tried.map((id) => store.update(id, (event) => ({ ...event, urls: { [URL_A]: retryAt(now - 5_000) } }))),
  );
  const first = ids.length - tried.length;
  expect(await store.backlog()).toMatchObject([{ first, retry: tried.length }]);
  for (let claimed = 0; claimed < ids.length; ) claimed += (await claim(MOST_DELIVERIES)).length;
  const [counted] = await store.backlog();
  expect((counted?.first ?? 0) + (counted?.retry ?? 0)).toBe(ids.length);
  await leases.putBack(ids);
  expect(await store.backlog()).toMatchObject([{ first, retry: tried.length }]);
  expect(await claim(2)).toEqual(['m0', 'm1']);
});

test('in a line with many users, a missing event lets only the next delivery of its own user into the line', async () => {
  const { store, claim, leases } = await openProcess(randomUUID());
  const ordered = (id: string, user: string, at: number) =>
    store.add(
      { ...newEvent(id, 'track', [URL_A], at, { user: user.padEnd(16, '-') }), isOrdered: true },
      Buffer.from(id),
    );
  for (let user = 0; user < 300; user++) await ordered(`u${user}`, `user-${user}`, 1_000 + user);
  await ordered('next', 'user-170', 2_000);
  for (let claimed = 0; claimed < 171; ) claimed += (await claim(Math.min(100, 171 - claimed))).length;
  const { timed, heads, first } = store.parts[0].keys.line(URL_A);
  const until = await server.look((redis) => redis.zscore(timed, 'u170'));
  await leases.drop('u170', until ?? '');
  await store.parts[0].counts.of(URL_A, { after: '', unreadable: [] });
  expect(await server.look((redis) => redis.zscore(first, 'next'))).toBe('2000');
  expect(await server.look((redis) => redis.hlen(heads))).toBe(300);
});
