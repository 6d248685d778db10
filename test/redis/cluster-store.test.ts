import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { newEvent } from '../../src/delivery/completion-rule.js';
import { userKey } from '../../src/delivery/event-names.js';
import { deadLetters } from '../../src/destination/changes/dead-letters.js';
import { RedisStore } from '../../src/store/redis/redis-store.js';
import { describeErasing } from '../ledger/attempts/erase-conformance.js';
import { describeEventStore } from '../store/event-store-conformance.js';
import { describeIntake } from '../store/intake-conformance.js';
import { describeKeyValueStore } from '../store/key-value-store-conformance.js';
import { describeLanes } from '../store/lanes-conformance.js';
import { deliveriesIn } from '../store/storage-under-test.js';
import { RedisCluster } from './redis-cluster.js';
import { openStorage, redisUnderTest } from './storage.js';

let cluster: RedisCluster;

beforeAll(async () => {
  cluster = await RedisCluster.start();
});

afterAll(() => cluster.remove());

describe('on a cluster', () => {
  const underTest = { ...redisUnderTest(() => cluster), name: 'a redis cluster' };
  describeEventStore(deliveriesIn(underTest));
  describeIntake(underTest);
  describeLanes(deliveriesIn(underTest));
  describeKeyValueStore(underTest);
  describeErasing(underTest, { isShared: true });
});

test('messages of one source lie on all masters of a cluster, and waiting ones are listed in order of time', async () => {
  const prefix = randomUUID();
  const storage = await openStorage(cluster, prefix);
  const store = await storage.deliveries('orders');
  const ids = Array.from({ length: 100 }, (_, index) => `m${index}`);
  const intakes = ids.map((id, index) => ({
    id,
    body: Buffer.from('{}'),
    deliveries: [
      { store, event: newEvent(id, 'track', ['https://a.example/'], 1_000 + index, { source: 'web', bytes: 2 }) },
    ],
  }));
  expect(await storage.takeIn('web', intakes)).toEqual(ids.map((id) => [id]));
  const counts = await Promise.all(
    (await cluster.masters()).map((server) =>
      server.look(async (redis) => (await redis.keys(`{${prefix}:p*:messages`)).length),
    ),
  );
  expect(counts.every((count) => count >= 4)).toBe(true);
  const waiting = await store.waiting('https://a.example/', 'first', { at: 1_009, id: 'm9' }, 5);
  expect(waiting.map(({ id }) => id)).toEqual(['m10', 'm11', 'm12', 'm13', 'm14']);
  expect(await store.backlog()).toEqual([{ url: 'https://a.example/', first: 100, retry: 0, bytes: 200 }]);
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

test("only the partitions of a user are searched for the user's dead letters", async () => {
  const store = await (await openStorage(cluster, randomUUID(), { partitions: 8 })).deliveries('orders');
  if (!(store instanceof RedisStore)) throw new Error('Another store than was expected');
  for (const id of ['ann', 'bob', 'cy', 'dan']) {
    const event = newEvent(id, 'track', ['https://a.example/'], 1, { user: userKey({ userId: id }) ?? '', bytes: 2 });
    await store.add(event, Buffer.from('{}'));
    const dead = { phase: 'dead', at: 2, reason: 'permanent', history: [] } as const;
    await store.update(id, (before) => ({ ...before, isDead: true, urls: { 'https://a.example/': dead } }));
  }
  const asked = store.parts.map((part) => vi.spyOn(part.index, 'dead'));
  const letters = await all(deadLetters(store, { user: 'ann' }));
  expect(letters.map(({ id }) => id)).toEqual(['ann']);
  expect(asked.filter(({ mock }) => mock.calls.length > 0).length).toBeLessThanOrEqual(2);
  expect(await all(deadLetters(store, {}))).toHaveLength(4);
});

test('a storage on a cluster cannot be opened with another number of partitions than it was created with', async () => {
  const prefix = randomUUID();
  await openStorage(cluster, prefix, { partitions: 4 });
  await openStorage(cluster, prefix);
  await expect(openStorage(cluster, prefix, { partitions: 5 })).rejects.toMatchObject({
    code: 'EVENTFERRY_STORE_INVALID_OPTION',
    option: 'partitions',
    message: expect.stringContaining(`4, with which the storage under the prefix ${prefix} was made`),
  });
});
