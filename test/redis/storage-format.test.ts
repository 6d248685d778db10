import { expect, test } from 'vitest';
import { openStorage, startRedis } from './storage.js';

test('a storage in Redis stores its format, and another process opens it', async () => {
  const server = await startRedis();
  for (let opened = 0; opened < 2; opened++) await openStorage(server, 'shop');
  expect(await server.look((redis) => redis.get('{shop}:format'))).toBe('1');
});

test.each([
  ['of another format', '2', '{shop}:format'],
  ['of messages without one', undefined, '{shop}:messages'],
  ['of audiences without one', undefined, '{shop}:shelf:values'],
  ['of ids without one', undefined, '{shop}:seen:0123456789'],
  ['of a place in line without one', undefined, '{shop}:place'],
  ['of a destination without one', undefined, '{shop}:orders:events'],
  ['of a partition without one', undefined, '{shop:p3.1}:orders:events'],
])('a storage %s is refused, and nothing is written', async (_, found, key) => {
  const server = await startRedis();
  await server.look((redis) =>
    redis.eval(
      key.endsWith('format') ? `redis.call('SET', KEYS[1], ARGV[1])` : `redis.call('HSET', KEYS[1], 'm1', 'old')`,
      1,
      key,
      found ?? '',
    ),
  );
  await expect(openStorage(server, 'shop')).rejects.toMatchObject({
    code: 'EVENTFERRY_STORE_FORMAT',
    message: expect.stringContaining(
      `Redis under the prefix shop ${found ? `is of format ${found}` : 'says no format'}, and this version reads 1`,
    ),
  });
  expect(await server.look((redis) => redis.keys('*'))).toEqual([key]);
});

test('a storage can be opened on a server with keys of other programs', async () => {
  const server = await startRedis();
  const theirs = [
    '{shop-2}:messages',
    'shop',
    '{sh*p}:place',
    '{shop:eu}:messages',
    '{shop:eu:p1.0}:place',
    'x{shop}:y',
  ];
  await server.look(async (redis) => {
    for (const key of theirs) await redis.set(key, 'theirs');
    await redis.set('{shop:eu}:format', '1');
  });
  await openStorage(server, 'shop');
  expect(await server.look((redis) => redis.get('{shop}:format'))).toBe('1');
});

test('a prefix with wildcard characters is taken literally', async () => {
  const server = await startRedis();
  await server.look((redis) => redis.set('{shop}:place', '1'));
  await openStorage(server, 's*p');
  await server.look((redis) => redis.set('{s[h]op}:place', '1'));
  await expect(openStorage(server, 's[h]op')).rejects.toMatchObject({ code: 'EVENTFERRY_STORE_FORMAT' });
});
