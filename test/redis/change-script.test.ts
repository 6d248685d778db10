import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { CHANGE, type ChangeAnswer } from '../../src/store/redis/change-script.js';
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

const KEYS = ['messages', 'references', 'due', 'place', 'events', 'counts', 'first', 'timed'];
const LINE = { first: 7, timed: 8, digest: 'line' };

/**
 * Removes untried events of 5 bytes, and returns for each whether it was removed.
 *
 * @param was the record that all of them have; undefined if they have none of their own
 */
async function remove(ids: readonly string[], was?: string): Promise<readonly boolean[]> {
  const kind = { events: 5, counts: 6, isRemoval: true, leaves: [], begins: [LINE], enters: [], lanes: [] };
  const group = {
    ...kind,
    was,
    waitsIn: was === undefined ? LINE : undefined,
    fields: ['bytes'],
    ids,
    at: [],
    places: [],
    by: [ids.map(() => -5)],
  };
  const call = JSON.stringify({ now: Date.now(), groups: [group] });
  const answer = await server.look((redis) => redis.eval(CHANGE.lua, KEYS.length, ...KEYS, call));
  return (JSON.parse(String(answer)) as ChangeAnswer).isChanged;
}

test('a removed event without its own record leaves nothing behind, claimed or not', async () => {
  expect(await remove(['m1', 'm2', 'm3'])).toEqual([true, true, true]);
  expect(await server.look((redis) => redis.keys('*'))).toEqual([]);
});

test('a removed event with its own record leaves nothing behind, claimed or not', async () => {
  await server.look((redis) => redis.hset('events', { m1: TEXT, m2: TEXT, m3: TEXT }));
  expect(await remove(['m1', 'm2', 'm3'], TEXT)).toEqual([true, true, true]);
  expect(await server.look((redis) => redis.keys('*'))).toEqual([]);
});

test.each([
  ['without its own record', undefined],
  ['with its own record', TEXT],
])('an event %s that has changed or is named twice is reported and stays unchanged', async (_, was) => {
  await server.look(async (redis) => {
    if (was !== undefined) await redis.hset('events', { m2: was, m3: was });
    await redis.hset('events', 'm1', 'another');
  });
  expect(await remove(['m1', 'm2', 'm2', 'gone'], was)).toEqual([false, true, false, false]);
  await server.look(async (redis) => {
    expect(await redis.hget('events', 'm1')).toBe('another');
    expect((await redis.hkeys('messages')).sort()).toEqual(['m1', 'm3']);
    expect(await redis.zrange('timed', 0, -1)).toEqual(['m1']);
    expect(await redis.zrange('first', 0, -1)).toEqual(['m3']);
    expect(await redis.hgetall('counts')).toEqual({ bytes: '10' });
  });
});

test('a message with several references stays until the last one is removed', async () => {
  await server.look((redis) => redis.hset('references', 'm1', 2));
  await remove(['m1']);
  await server.look(async (redis) => {
    expect(await redis.hget('references', 'm1')).toBe('1');
    expect(await redis.hexists('messages', 'm1')).toBe(1);
    await redis.zadd('first', 1_000, 'm1');
  });
  await remove(['m1']);
  await server.look(async (redis) => {
    expect(await redis.hgetall('references')).toEqual({});
    expect(await redis.hexists('messages', 'm1')).toBe(0);
  });
});
