import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { TAKE_IN } from '../../src/store/redis/intake-script.js';
import { RedisServer } from './redis-server.js';

const DAY_MS = 86_400_000;
const LEASE_MS = 5_000;

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

beforeEach(() => server.look((redis) => redis.flushall()));

afterAll(() => server.remove());

const KEYS = ['messages', 'holders', 'events', 'counts', 'index', 'claims', 'seen:m1', 'urls'];

/** Takes in messages of one delivery each at one URL, told in short, and gives what became of them. */
async function take(messages: readonly { id: string; seen?: boolean; isWanted?: boolean }[], isLoose = false) {
  const way = [1, 3, 4, isLoose ? 1 : 0, '"https://a.example/"', 1, 5, 6, 1, 'bytes'];
  const own = messages.flatMap(({ id, seen = false, isWanted = false }) => [
    seen ? 7 : 0,
    `ref-${id}`,
    `record of ${id}`,
    isWanted ? '1' : '0',
    id,
    1_000,
    10,
  ]);
  const url = [1, 8, 'digest', 'https://a.example/'];
  const args = [LEASE_MS, DAY_MS, 'present:', ...url, ...way, messages.length, ...own];
  const [, ...outcomes] = (await server.look((redis) =>
    redis.eval(TAKE_IN.lua, KEYS.length, ...KEYS, ...args),
  )) as string[];
  return outcomes;
}

test('a message that is taken in stands in the index under its time, with its record, and is counted', async () => {
  expect(await take([{ id: 'm1' }, { id: 'm2' }])).toEqual(['tn0', 'tn0']);
  await server.look(async (redis) => {
    expect(await redis.hgetall('events')).toEqual({
      m1: '["ref-m1","https://a.example/"]',
      m2: '["ref-m2","https://a.example/"]',
    });
    expect(await redis.hgetall('messages')).toEqual({ 'ref-m1': 'record of m1', 'ref-m2': 'record of m2' });
    // Each has a single holder.
    expect(await redis.hgetall('holders')).toEqual({});
    expect(await redis.zrange('index', 0, -1, 'WITHSCORES')).toEqual(['m1', '1000', 'm2', '1000']);
    expect(await redis.hgetall('counts')).toEqual({ bytes: '20' });
    expect(await redis.hgetall('urls')).toEqual({ digest: 'https://a.example/' });
  });
});

test('a delivery that is wanted is claimed where none waits before it', async () => {
  expect(await take([{ id: 'm1', isWanted: true }])).toEqual(['tn1']);
  expect(await take([{ id: 'm2' }])).toEqual(['tn0']);
  expect(await take([{ id: 'm3', isWanted: true }])).toEqual(['tn0']);
  await server.look(async (redis) => {
    expect(await redis.zrange('claims', 0, -1)).toEqual(['m1']);
    expect(await redis.zrange('index', 0, -1)).toEqual(['m2', 'm3']);
  });
});

test('an id that was seen is known, and one that a process of the version before is storing is claimed', async () => {
  expect(await take([{ id: 'm1', seen: true }])).toEqual(['tn0']);
  expect(await take([{ id: 'm1', seen: true }])).toEqual(['k']);
  await server.look(async (redis) => {
    expect(await redis.pttl('seen:m1')).toBeGreaterThan(DAY_MS - 60_000);
    await redis.set('seen:m1', 'older');
    await redis.set('present:older', '1');
  });
  expect(await take([{ id: 'm1', seen: true }])).toEqual(['c']);
});

test('a message of which all deliveries are there is not taken in, or without them where they may be left out', async () => {
  await take([{ id: 'm1' }]);
  expect(await take([{ id: 'm1' }])).toEqual(['x']);
  expect(await take([{ id: 'm1' }, { id: 'm2' }], true)).toEqual(['t-', 'tn0']);
  expect(await server.look((redis) => redis.hgetall('counts'))).toEqual({ bytes: '20' });
});
