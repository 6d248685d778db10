import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeKeyValueStore } from '../store/key-value-store-conformance.js';
import { RedisServer } from './redis-server.js';
import { openStorage, redisUnderTest } from './storage.js';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

describeKeyValueStore(redisUnderTest(() => server));

test('every process sees the same keys and values on Redis, and simultaneous writes are both kept', async () => {
  const prefix = randomUUID();
  const [{ keyValues: one }, { keyValues: other }] = [
    await openStorage(server, prefix),
    await openStorage(server, prefix),
  ];
  const both = [one, other];
  const first = { key: 'a/1', value: undefined };
  const wrote = await Promise.all(both.map((each) => each.writeIf(first, [{ key: 'a/1', value: 'x' }])));
  expect(wrote.filter(Boolean)).toHaveLength(1);
  await one.write([{ key: 'b/1', value: 'y' }]);
  expect(await other.get(['a/1', 'b/1'])).toEqual(['x', 'y']);
});
