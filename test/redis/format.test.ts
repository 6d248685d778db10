import { expect, test } from 'vitest';
import { openStorage, startRedis } from './storage.js';

test('a storage in Redis says its format, and another process opens it', async () => {
  const server = await startRedis();
  for (let opened = 0; opened < 2; opened++) await openStorage(server, 'shop');
  expect(await server.look((redis) => redis.get('{shop}:format'))).toBe('1');
});

test.each([
  ['of another format', '2', '{shop}:format'],
  ['of messages without one', 'no number', '{shop}:messages'],
  ['of audiences without one', 'no number', '{shop}:shelf:values'],
])('a storage %s is refused, and nothing is written', async (_, found, key) => {
  const server = await startRedis();
  await server.look((redis) =>
    redis.eval(
      key.endsWith('format') ? `redis.call('SET', KEYS[1], ARGV[1])` : `redis.call('HSET', KEYS[1], 'm1', 'old')`,
      1,
      key,
      found,
    ),
  );
  await expect(openStorage(server, 'shop')).rejects.toMatchObject({
    code: 'EVENTFERRY_STORE_FORMAT',
    message: expect.stringContaining(`Redis under the prefix shop is of format ${found}, and this version reads 1`),
  });
  expect(await server.look((redis) => redis.keys('*'))).toEqual([key]);
});

test('other people may have keys on the same server', async () => {
  const server = await startRedis();
  await server.look((redis) => redis.set('{shop-2}:messages', 'theirs'));
  await openStorage(server, 'shop');
});
