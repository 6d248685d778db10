import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { FORGET } from '../../src/store/redis/forget-script.js';
import { RedisServer } from './redis-server.js';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

beforeEach(async () => {
  await server.look(async (redis) => {
    await redis.flushall();
    for (const id of ['m1', 'm2', 'm3']) await redis.hset('messages', id, `record\nof ${id}`);
    await redis.hset('counts', 'bytes', 15);
    await redis.zadd('timed', -9_000, 'm1', -9_000, 'm2');
    await redis.zadd('first', 1_000, 'm3');
  });
});

afterAll(() => server.remove());

const TEXT = '["","https://a.example/"]';

/** @param was the text they have; none where they are implied */
const forget = (ids: readonly string[], was = '') =>
  server.look((redis) => {
    const keys = ['messages', 'holders', 'due', 'place', 'events', 'counts', 'first', 'timed'];
    const own = ids.flatMap((id) => [id, 5]);
    return redis.eval(FORGET.lua, keys.length, ...keys, was, 1, 'bytes', ids.length, ...own);
  });

test('a removed event without its own record leaves nothing behind, claimed or not', async () => {
  expect(await forget(['m1', 'm2', 'm3'])).toEqual([]);
  expect(await server.look((redis) => redis.keys('*'))).toEqual([]);
});

test('a removed event with its own record leaves nothing behind, claimed or not', async () => {
  await server.look((redis) => redis.hset('events', { m1: TEXT, m2: TEXT, m3: TEXT }));
  expect(await forget(['m1', 'm2', 'm3'], TEXT)).toEqual([]);
  expect(await server.look((redis) => redis.keys('*'))).toEqual([]);
});

test.each([
  ['without its own record', ''],
  ['with its own record', TEXT],
])('an event %s that has changed or is named twice is reported and stays unchanged', async (_, was) => {
  await server.look(async (redis) => {
    if (was !== '') await redis.hset('events', { m2: was, m3: was });
    await redis.hset('events', 'm1', 'another');
  });
  expect(await forget(['m1', 'm2', 'm2', 'gone'], was)).toEqual([1, 3, 4]);
  await server.look(async (redis) => {
    expect(await redis.hget('events', 'm1')).toBe('another');
    expect((await redis.hkeys('messages')).sort()).toEqual(['m1', 'm3']);
    expect(await redis.zrange('timed', 0, -1)).toEqual(['m1']);
    expect(await redis.zrange('first', 0, -1)).toEqual(['m3']);
    expect(await redis.hgetall('counts')).toEqual({ bytes: '10' });
  });
});

test('a message with several references stays until the last one is removed', async () => {
  await server.look((redis) => redis.hset('holders', 'm1', 2));
  await forget(['m1']);
  await server.look(async (redis) => {
    expect(await redis.hget('holders', 'm1')).toBe('1');
    expect(await redis.hexists('messages', 'm1')).toBe(1);
    await redis.zadd('first', 1_000, 'm1');
  });
  await forget(['m1']);
  await server.look(async (redis) => {
    expect(await redis.hgetall('holders')).toEqual({});
    expect(await redis.hexists('messages', 'm1')).toBe(0);
  });
});
