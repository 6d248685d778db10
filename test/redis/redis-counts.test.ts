import { expect, test } from 'vitest';
import { newEvent } from '../../src/delivery/completion-rule.js';
import { claimAt, openStore, QUICK, startRedis } from './storage.js';

const URL_A = 'https://a.example/';

test('waiting bytes are counted whether claimed or not, and none are left once the deliveries are gone', async () => {
  const store = await openStore(await startRedis());
  const ids = ['m1', 'm2', 'm3'];
  for (const id of ids) {
    await store.add(newEvent(id, 'track', [URL_A], 1_000, { source: 'web', bytes: 10 }), new Uint8Array(10));
  }
  const bytes = async () => (await store.parts[0].counts.of(URL_A)).bytes;
  const leases = store.parts[0].leases(URL_A);
  expect(await bytes()).toBe(30);
  await claimAt(store, URL_A, 2);
  expect(await bytes()).toBe(30);
  await leases.putBack(['m1']);
  expect(await bytes()).toBe(30);
  // One of them is claimed, and one is not.
  await Promise.all(['m1', 'm2'].map((id) => store.update(id, () => undefined)));
  expect(await bytes()).toBe(10);
  await claimAt(store, URL_A, 1);
  const retrying = { phase: 'retrying', due: 2_000, firstAttemptAt: 1_000, attempts: 1, history: [] } as const;
  await store.update('m3', (event) => ({ ...event, urls: { [URL_A]: retrying } }));
  expect(await bytes()).toBe(10);
  await store.update('m3', (event) => ({ ...event, urls: newEvent('m3', 'track', [URL_A], 3_000).urls }));
  expect(await bytes()).toBe(10);
  await store.update('m3', () => undefined);
  expect([
    await bytes(),
    await store.parts[0].connection.partition.link.redis.hlen(store.parts[0].keys.counts),
  ]).toEqual([0, 0]);
});

test('the oldest due time counts only claimable deliveries: those in line, and claims whose lease is over', async () => {
  const store = await openStore(await startRedis(), undefined, { ...QUICK, leaseMs: 300 });
  const due = async () => (await store.parts[0].counts.of(URL_A)).oldestDue;
  const ordered = (id: string, at: number) =>
    store.add({ ...newEvent(id, 'track', [URL_A], at, { user: 'u1' }), isOrdered: true }, new Uint8Array(1));
  await ordered('m1', 1_000);
  await ordered('m2', 2_000);
  expect(await due()).toBe(1_000);
  const { claims } = store.parts[0].connection;
  const began = Date.now();
  await claims.ask({ keys: store.parts[0].keys, url: URL_A, windowMs: 14_400_000, count: () => 1 });
  // A delivery that waits behind another is not due.
  expect(await due()).toBeUndefined();
  await expect.poll(due).toBeGreaterThan(began);
});

test('a line with deliveries that is missing in the set of lines to check is added to it when it is counted', async () => {
  const store = await openStore(await startRedis());
  await store.add(newEvent('m1', 'track', [URL_A], 1_000, { bytes: 2 }), Buffer.from('{}'));
  const { due, link } = store.parts[0].connection.partition;
  await link.ask((redis) => redis.del(due));
  await store.backlog();
  expect(await link.ask((redis) => redis.zcard(due))).toBe(1);
});
