import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { newEvent, type StoredEvent } from '../../src/delivery/completion-rule.js';
import { openStorage, openStore, startRedis } from './storage.js';

const URL_A = 'https://a.example/';

const bury = (event: StoredEvent): StoredEvent => ({
  ...event,
  isDead: true,
  urls: { [URL_A]: { phase: 'dead', at: 2_000, reason: 'permanent', history: [] } },
});

test('dead letters of an earlier version, which kept no counts, are counted once when a store is opened', async () => {
  const server = await startRedis();
  const before = await (await openStorage(server, 'shop')).deliveries('orders');
  for (let index = 0; index < 600; index++) {
    await before.add(newEvent(`m${index}`, 'track', [URL_A], index), Buffer.from('{}'));
    await before.update(`m${index}`, bury);
  }
  const redis = new Redis(server.url);
  onTestFinished(() => redis.disconnect());
  const [counts = ''] = await redis.keys('*:counts');
  await redis.del(counts);
  expect(await before.deadTotals()).toEqual({ events: 600, bytes: 0, deliveries: [] });
  const counted = {
    events: 600,
    bytes: 1_200,
    deliveries: [{ url: URL_A, type: 'track', reason: 'permanent', count: 600 }],
  };
  for (let opened = 0; opened < 2; opened++) {
    const store = await (await openStorage(server, 'shop')).deliveries('orders');
    await expect.poll(() => store.deadTotals()).toEqual(counted);
  }
  await before.update('m0', () => undefined);
  expect(await before.deadTotals()).toMatchObject({ events: 599, bytes: 1_198 });
});

test('the bytes of what waits are counted whether it is claimed or not, and none are left once it is gone', async () => {
  const store = await openStore(await startRedis());
  const ids = ['m1', 'm2', 'm3'];
  for (const id of ids) {
    await store.add(newEvent(id, 'track', [URL_A], 1_000, { source: 'web', bytes: 10 }), new Uint8Array(10));
  }
  const bytes = async () => (await store.counts.of(URL_A)).bytes;
  const firsts = store.firstAttempts(URL_A);
  expect(await bytes()).toBe(30);
  await firsts.claim(() => 2);
  expect(await bytes()).toBe(30);
  await firsts.putBack(['m1']);
  expect(await bytes()).toBe(30);
  // One that is claimed, and one that is not.
  await Promise.all(['m1', 'm2'].map((id) => store.update(id, () => undefined)));
  expect(await bytes()).toBe(10);
  await firsts.claim(() => 1);
  const retrying = { phase: 'retrying', due: 2_000, firstAttemptAt: 1_000, attempts: 1, history: [] } as const;
  await store.update('m3', (event) => ({ ...event, urls: { [URL_A]: retrying } }));
  expect(await bytes()).toBe(10);
  await store.update('m3', (event) => ({ ...event, urls: newEvent('m3', 'track', [URL_A], 3_000).urls }));
  expect(await bytes()).toBe(10);
  await store.update('m3', () => undefined);
  expect([await bytes(), await store.connection.link.redis.hlen(store.keys.counts)]).toEqual([0, 1]);
});
