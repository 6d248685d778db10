import { afterAll, beforeAll, expect, test } from 'vitest';
import { newEvent } from '../../src/delivery/completion-rule.js';
import { firstDueAt } from '../../src/store/redis/redis-index.js';
import { RedisServer } from './redis-server.js';
import { openStore } from './storage.js';

const URL_A = 'https://a.example/';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

async function openWith(...ids: string[]) {
  const store = await openStore(server);
  for (const [index, id] of ids.entries())
    await store.add(newEvent(id, 'track', [URL_A], 1_000 + index), Buffer.from(id));
  return store;
}

test('first attempts are listed in the order of their times, those that are claimed between the others', async () => {
  const store = await openWith('m1', 'm2', 'm3', 'm4');
  await store.firstAttempts(URL_A).claim(() => 2);
  const all = ['m1', 'm2', 'm3', 'm4'].map((id, index) => ({ id, at: 1_000 + index }));
  expect(await store.waiting(URL_A, 'first', undefined, 10)).toEqual(all);
  expect(await store.waiting(URL_A, 'first', undefined, 3)).toEqual(all.slice(0, 3));
  expect(await store.waiting(URL_A, 'first', all[0], 2)).toEqual(all.slice(1, 3));
});

test('a first attempt that is put back while it is listed is listed once', async () => {
  const store = await openWith('m1');
  await server.look((redis) => redis.zadd(store.keys.claimed(URL_A), 9_000, 'm1'));
  expect(await store.waiting(URL_A, 'first', undefined, 10)).toEqual([{ id: 'm1', at: 1_000 }]);
});

test('what is claimed, and has ended since or is gone, is not listed', async () => {
  const store = await openWith('m1');
  await server.look((redis) => redis.zadd(store.keys.claimed(URL_A), 9_000, 'gone'));
  await store.update('m1', (event) => ({ ...event, isDead: true, urls: {} }));
  expect(await store.waiting(URL_A, 'first', undefined, 10)).toEqual([]);
  expect(await store.dead(undefined, 10)).toEqual([{ id: 'm1', at: 1_000 }]);
});

test('a first attempt is due when its event says, at its own URLs alone, and not once it was made', () => {
  const event = newEvent('m1', 'track', [URL_A], 1_000);
  const retrying = { phase: 'retrying', due: 2_000, firstAttemptAt: 1_000, attempts: 1, history: [] } as const;
  expect(firstDueAt(URL_A, event)).toBe(1_000);
  expect(firstDueAt('https://b.example/', event)).toBeUndefined();
  expect(firstDueAt(URL_A, { ...event, urls: { [URL_A]: retrying } })).toBeUndefined();
});
