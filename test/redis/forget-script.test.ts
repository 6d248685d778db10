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
    for (const id of ['m1', 'm2', 'm3']) {
      await redis.hset('events', id, `["ref-${id}","https://a.example/"]`);
      await redis.hset('messages', `ref-${id}`, `record\nof ${id}`);
    }
    await redis.hset('counts', 'bytes', 5);
    await redis.zadd('claimed', 9_000, 'm1', 9_000, 'm2');
    await redis.zadd('index', 1_000, 'm3');
  });
});

afterAll(() => server.remove());

const forget = (...events: (readonly [id: string, ref: string])[]) =>
  server.look((redis) => {
    const keys = ['messages', 'holders', 'events', 'counts', 'claimed', 'index'];
    const args = ['"https://a.example/"', 1, 'bytes', events.length, ...events.flat()];
    return redis.eval(FORGET.lua, keys.length, ...keys, ...args);
  });

test('events that are forgotten leave nothing behind, claimed or not', async () => {
  expect(await forget(['m1', 'ref-m1'], ['m2', 'ref-m2'], ['m3', 'ref-m3'])).toEqual([]);
  expect(await server.look((redis) => redis.keys('*'))).toEqual([]);
});

test('an event that is something else by now, or is named twice, is told of and stays as it is', async () => {
  expect(await forget(['m1', 'other'], ['m2', 'ref-m2'], ['m2', 'ref-m2'], ['gone', 'ref'])).toEqual([1, 3, 4]);
  await server.look(async (redis) => {
    expect((await redis.hkeys('events')).sort()).toEqual(['m1', 'm3']);
    expect(await redis.zrange('claimed', 0, -1)).toEqual(['m1']);
    expect(await redis.hgetall('counts')).toEqual({ bytes: '5' });
  });
});

test('a message that others hold as well stays until the last of them forgets it', async () => {
  await server.look((redis) => redis.hset('holders', 'ref-m1', 2));
  await forget(['m1', 'ref-m1']);
  await server.look(async (redis) => {
    expect(await redis.hget('holders', 'ref-m1')).toBe('1');
    expect(await redis.hexists('messages', 'ref-m1')).toBe(1);
    await redis.hset('events', 'm1', '["ref-m1","https://a.example/"]');
  });
  await forget(['m1', 'ref-m1']);
  await server.look(async (redis) => {
    expect(await redis.hgetall('holders')).toEqual({});
    expect(await redis.hexists('messages', 'ref-m1')).toBe(0);
  });
});
