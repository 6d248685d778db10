import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { newEvent, type StoredEvent } from '../../src/delivery/completion-rule.js';
import { openStorage, startRedis } from './storage.js';

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
