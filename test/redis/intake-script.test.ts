import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { TAKE_IN, TAKE_ONE_IN } from '../../src/store/redis/intake-script.js';
import { RedisServer } from './redis-server.js';

const DAY_MS = 86_400_000;
const LEASE_MS = 5_000;

/** With nothing before it, an index is called as its beginning is. */
const DIGEST = '';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

beforeEach(() => server.look((redis) => redis.flushall()));

afterAll(() => server.remove());

/** A record with so many bytes of body as it has in its second line. */
const recordOf = (id: string): string => `record\nof ${id}`;

/** Takes in messages of one delivery each at one URL, and gives what became of them, and how many of them are claimed. */
async function take(ids: readonly string[], { wanted = 0, isSeen = false, text = '' } = {}) {
  const keys = ['messages', 'holders', 'due', 'place', 'urls', 'events', 'counts', 'first', 'timed'];
  const way = [1, text, 1, 'line', 'bytes', wanted];
  const own = ids.flatMap((id) => [recordOf(id), id]);
  const args = [LEASE_MS, DAY_MS, 1, DIGEST, 'https://a.example/', ...way];
  args.push(ids.length, 1_000, isSeen ? 1 : 0, ...own);
  if (isSeen) keys.push(...ids.map((id) => `seen:${id}`));
  const [, status, , claimed] = (await server.look((redis) =>
    redis.eval(TAKE_IN.lua, keys.length, ...keys, ...args),
  )) as [string, string, string, number];
  return [status, claimed];
}

test('a stored message is in the line at its time, has a record, is counted, and is due at once', async () => {
  expect(await take(['m1', 'm2'])).toEqual(['tt', 0]);
  await server.look(async (redis) => {
    expect(await redis.hgetall('events')).toEqual({});
    expect(await redis.hgetall('messages')).toEqual({ m1: 'record\nof m1', m2: 'record\nof m2' });
    // Each has a single holder.
    expect(await redis.hgetall('holders')).toEqual({});
    expect(await redis.zrange('first', 0, -1, 'WITHSCORES')).toEqual(['m1', '1000', 'm2', '1000.0009765625']);
    expect(await redis.hgetall('counts')).toEqual({ bytes: '10' });
    expect(await redis.hgetall('urls')).toEqual({ [DIGEST]: 'https://a.example/' });
    expect(await redis.zrange('due', 0, -1, 'WITHSCORES')).toEqual(['line', '0']);
  });
});

test('a message for several URLs stores the record that it is given', async () => {
  await take(['m1', 'm2'], { text: 'a text' });
  expect(await server.look((redis) => redis.hgetall('events'))).toEqual({ m1: 'a text', m2: 'a text' });
});

test('the first deliveries are claimed as they are stored if none waits before them', async () => {
  expect(await take(['m1', 'm2', 'm3'], { wanted: 2 })).toEqual(['ttt', 2]);
  expect(await take(['m4'], { wanted: 2 })).toEqual(['t', 0]);
  await server.look(async (redis) => {
    expect(await redis.zrange('timed', 0, -1)).toEqual(['m1', 'm2']);
    expect(await redis.zrange('first', 0, -1)).toEqual(['m3', 'm4']);
    expect(await redis.hgetall('counts')).toEqual({ bytes: '20' });
  });
});

test('an id that was seen is answered as known', async () => {
  expect(await take(['m1', 'm1'], { isSeen: true })).toEqual(['tk', 0]);
  expect(await take(['m1', 'm2'], { isSeen: true, wanted: 9 })).toEqual(['kt', 0]);
  expect(await server.look((redis) => redis.pttl('seen:m1'))).toBeGreaterThan(DAY_MS - 60_000);
});

test('a delivery that is claimed as it is stored becomes due when its lease ends', async () => {
  const before = Date.now();
  await take(['m1'], { wanted: 1 });
  await server.look(async (redis) => {
    const [, comesUp] = await redis.zrange('due', 0, -1, 'WITHSCORES');
    expect(Number(await redis.zscore('timed', 'm1'))).toBe(-Number(comesUp));
    expect(Number(comesUp)).toBeGreaterThanOrEqual(before + LEASE_MS - 1);
  });
});

test('a message is not stored if its event exists or its id is the key of another message', async () => {
  await take(['m1'], { text: 'a text' });
  expect(await take(['m1', 'm2', 'm2'])).toEqual(['xtn', 0]);
  expect(await take(['m2'])).toEqual(['n', 0]);
  expect(await server.look((redis) => redis.hgetall('counts'))).toEqual({ bytes: '10' });
});

/** Takes in a message with a delivery at each of two destinations, told in full. */
const takeOne = (isLoose: boolean, isSeen = false) =>
  server.look((redis) => {
    const delivery = (text: string, place: string) => [
      ...[isLoose ? 1 : 0, 'm1', text, `first${place}`, `timed${place}`],
      ...[1, 1_000, 'f', `line${place}`, 1, 'bytes', 5],
    ];
    const keys = [
      'messages',
      'holders',
      'due',
      'place',
      ...(isSeen ? ['seen:m1'] : []),
      'events',
      'counts',
      'urls',
      'first',
    ];
    keys.push('events2', 'counts2', 'urls', 'first2');
    const own = [...delivery('one', ''), ...delivery('two', '2')];
    const args = [DAY_MS, Date.now(), 0, isSeen ? 1 : 0, '//ref', recordOf('m1'), ...own];
    return redis.eval(TAKE_ONE_IN.lua, keys.length, ...keys, ...args);
  });

test.each([
  ['without its own record', { isClaimed: false, text: '' }],
  ['without its own record, which is claimed,', { isClaimed: true, text: '' }],
  ['with its own record', { isClaimed: false, text: 'a text' }],
])(
  'a message is refused for an existing event %s, or leaves that delivery out if it may',
  async (_, { isClaimed, text }) => {
    await take(['m1'], { text, wanted: isClaimed ? 1 : 0 });
    expect(await takeOne(false)).toBe('x');
    expect(await takeOne(true)).toBe('t-n');
    await server.look(async (redis) => {
      expect(await redis.hget('events2', 'm1')).toBe('two');
      expect(Number(await redis.zscore('first2', 'm1'))).toBeGreaterThan(1_000);
      expect(await redis.hgetall('counts2')).toEqual({ bytes: '5' });
      expect(await redis.hget('messages', '//ref')).toBe(recordOf('m1'));
      expect(await redis.hgetall('holders')).toEqual({});
    });
  },
);

test('a message with full records has a reference for each delivery, and its id is remembered', async () => {
  expect(await takeOne(false, true)).toBe('tnn');
  expect(await takeOne(false, true)).toBe('k');
  expect(await server.look((redis) => redis.hgetall('holders'))).toEqual({ '//ref': '2' });
});
