import { afterAll, beforeAll, expect, test } from 'vitest';
import { newEvent } from '../../src/delivery/completion-rule.js';
import { entryAt } from '../../src/store/redis/redis-index.js';
import { RedisServer } from './redis-server.js';
import { claimAt, openStore } from './storage.js';

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

test('first attempts are listed in order of time, claimed or not', async () => {
  const store = await openWith('m1', 'm2', 'm3', 'm4');
  await claimAt(store, URL_A, 2);
  const all = ['m1', 'm2', 'm3', 'm4'].map((id, index) => ({ id, at: 1_000 + index }));
  expect(await store.waiting(URL_A, 'first', undefined, 10)).toEqual(all);
  expect(await store.waiting(URL_A, 'first', undefined, 3)).toEqual(all.slice(0, 3));
  expect(await store.waiting(URL_A, 'first', all[0], 2)).toEqual(all.slice(1, 3));
});

test('a first attempt that is put back during the listing is listed once', async () => {
  const store = await openWith('m1');
  await server.look((redis) => redis.zadd(store.parts[0].keys.line(URL_A).timed, -9_000, 'm1'));
  expect(await store.waiting(URL_A, 'first', undefined, 10)).toEqual([{ id: 'm1', at: 1_000 }]);
});

test('a claimed delivery that has ended or is gone is not listed', async () => {
  const store = await openWith('m1');
  await server.look((redis) => redis.zadd(store.parts[0].keys.line(URL_A).timed, -9_000, 'gone'));
  await store.update('m1', (event) => ({ ...event, isDead: true, urls: {} }));
  expect(await store.waiting(URL_A, 'first', undefined, 10)).toEqual([]);
  expect(await store.dead(undefined, 10)).toEqual([{ id: 'm1', at: 1_000 }]);
});

test('a claimed retry is listed among the retries by its due time', async () => {
  const store = await openWith('m1', 'm2');
  const retryAt = (due: number) => ({ phase: 'retrying', due, firstAttemptAt: 1, attempts: 1, history: [] }) as const;
  await store.update('m1', (event) => ({ ...event, urls: { [URL_A]: retryAt(2_000) } }));
  expect(await claimAt(store, URL_A, 2)).toEqual(['m2', 'm1']);
  expect(await store.waiting(URL_A, 'retry', undefined, 10)).toEqual([{ id: 'm1', at: 2_000 }]);
  expect(await store.waiting(URL_A, 'first', undefined, 10)).toEqual([{ id: 'm2', at: 1_001 }]);
  expect(await store.backlog()).toMatchObject([{ first: 1, retry: 1 }]);
});

test('an event is listed only at the stage that matches its state at the URL', () => {
  const event = newEvent('m1', 'track', [URL_A], 1_000);
  const retrying = { phase: 'retrying', due: 2_000, firstAttemptAt: 1_000, attempts: 1, history: [] } as const;
  expect(entryAt(URL_A, event)).toMatchObject({ stage: 'first', at: 1_000 });
  expect(entryAt('https://b.example/', event)).toBeUndefined();
  expect(entryAt(URL_A, { ...event, urls: { [URL_A]: retrying } })).toMatchObject({ stage: 'retry', at: 2_000 });
});
