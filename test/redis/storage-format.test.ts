import { expect, test } from 'vitest';
import { openStorage, startRedis } from './storage.js';

test('a storage in Redis stores its format, and another process opens it', async () => {
  const server = await startRedis();
  for (let opened = 0; opened < 2; opened++) await openStorage(server, 'shop');
  expect(await server.look((redis) => redis.get('{shop}:format'))).toBe('2');
});

test('a storage of another format is refused, and nothing is written', async () => {
  const server = await startRedis();
  await server.look((redis) => redis.set('{shop}:format', '1'));
  await expect(openStorage(server, 'shop')).rejects.toMatchObject({
    code: 'EVENTFERRY_STORE_FORMAT',
    message: expect.stringContaining('Redis under the prefix shop is of format 1, and this version reads 2'),
  });
  expect(await server.look((redis) => redis.keys('*'))).toEqual(['{shop}:format']);
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
    await redis.set('{shop:eu}:format', '2');
  });
  await openStorage(server, 'shop');
  expect(await server.look((redis) => redis.get('{shop}:format'))).toBe('2');
});
