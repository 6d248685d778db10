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
  const keys = ['messages', 'holders', 'urls', 'events', 'counts', 'index', 'claims'];
  const way = [1, text, 1, 'bytes', wanted];
  const own = ids.flatMap((id) => [recordOf(id), id]);
  const args = [LEASE_MS, DAY_MS, 'present:', 1, DIGEST, 'https://a.example/', ...way];
  args.push(ids.length, 1_000, isSeen ? 1 : 0, ...own);
  if (isSeen) keys.push(...ids.map((id) => `seen:${id}`));
  const [, ...answer] = (await server.look((redis) => redis.eval(TAKE_IN.lua, keys.length, ...keys, ...args))) as [
    string,
    string,
    number,
  ];
  return answer;
}

test('a message that is taken in stands in the index under its time, with its record, and is counted', async () => {
  expect(await take(['m1', 'm2'])).toEqual(['tt', 0]);
  await server.look(async (redis) => {
    expect(await redis.hgetall('events')).toEqual({});
    expect(await redis.hgetall('messages')).toEqual({ m1: 'record\nof m1', m2: 'record\nof m2' });
    // Each has a single holder.
    expect(await redis.hgetall('holders')).toEqual({});
    expect(await redis.zrange('index', 0, -1, 'WITHSCORES')).toEqual(['m1', '1000', 'm2', '1000']);
    expect(await redis.hgetall('counts')).toEqual({ bytes: '10' });
    expect(await redis.hgetall('urls')).toEqual({ [DIGEST]: 'https://a.example/' });
  });
});

test('a message that goes to several URLs has the text it is given', async () => {
  await take(['m1', 'm2'], { text: 'a text' });
  expect(await server.look((redis) => redis.hgetall('events'))).toEqual({ m1: 'a text', m2: 'a text' });
});

test('the first of the deliveries that are wanted are claimed where none waits before them', async () => {
  expect(await take(['m1', 'm2', 'm3'], { wanted: 2 })).toEqual(['ttt', 2]);
  expect(await take(['m4'], { wanted: 2 })).toEqual(['t', 0]);
  await server.look(async (redis) => {
    expect(await redis.zrange('claims', 0, -1)).toEqual(['m1', 'm2']);
    expect(await redis.zrange('index', 0, -1)).toEqual(['m3', 'm4']);
    expect(await redis.hgetall('counts')).toEqual({ bytes: '10' });
  });
});

test('an id that was seen is known, and one that a process of the version before is storing is claimed', async () => {
  expect(await take(['m1', 'm1'], { isSeen: true })).toEqual(['tk', 0]);
  expect(await take(['m1', 'm2'], { isSeen: true, wanted: 9 })).toEqual(['kt', 0]);
  await server.look(async (redis) => {
    expect(await redis.pttl('seen:m1')).toBeGreaterThan(DAY_MS - 60_000);
    await redis.set('seen:m1', 'older');
    await redis.set('present:older', '1');
  });
  expect(await take(['m1'], { isSeen: true })).toEqual(['c', 0]);
});

test('a message whose event is there is not taken in, nor one by whose id another message is known', async () => {
  await take(['m1'], { text: 'a text' });
  expect(await take(['m1', 'm2', 'm2'])).toEqual(['xtn', 0]);
  expect(await take(['m2'])).toEqual(['n', 0]);
  expect(await server.look((redis) => redis.hgetall('counts'))).toEqual({ bytes: '10' });
});

/** Takes in a message with a delivery at each of two destinations, told in full. */
const takeOne = (isLoose: boolean, isSeen = false) =>
  server.look((redis) => {
    const delivery = (text: string, place: string) => [
      ...[isLoose ? 1 : 0, 'm1', text, `index${place}`, `claims${place}`],
      ...[1, 1_000, 1, 'bytes', 5],
    ];
    const keys = ['messages', 'holders', ...(isSeen ? ['seen:m1'] : []), 'events', 'counts', 'urls', 'index'];
    keys.push('events2', 'counts2', 'urls', 'index2');
    const own = [...delivery('one', ''), ...delivery('two', '2')];
    const args = [DAY_MS, 'present:', 0, isSeen ? 1 : 0, '//ref', recordOf('m1'), ...own];
    return redis.eval(TAKE_ONE_IN.lua, keys.length, ...keys, ...args);
  });

test.each([
  ['implied', { isClaimed: false, text: '' }],
  ['implied and claimed', { isClaimed: true, text: '' }],
  ['with a text', { isClaimed: false, text: 'a text' }],
])(
  'a message told in full meets the event that is there, %s, or leaves it out where it may',
  async (_, { isClaimed, text }) => {
    await take(['m1'], { text, wanted: isClaimed ? 1 : 0 });
    expect(await takeOne(false)).toBe('x');
    expect(await takeOne(true)).toBe('t-n');
    await server.look(async (redis) => {
      expect(await redis.hget('events2', 'm1')).toBe('two');
      expect(await redis.zscore('index2', 'm1')).toBe('1000');
      expect(await redis.hgetall('counts2')).toEqual({ bytes: '5' });
      expect(await redis.hget('messages', '//ref')).toBe(recordOf('m1'));
      expect(await redis.hgetall('holders')).toEqual({});
    });
  },
);

test('a message told in full has as many holders as deliveries, and its id is remembered', async () => {
  expect(await takeOne(false, true)).toBe('tnn');
  expect(await takeOne(false, true)).toBe('k');
  expect(await server.look((redis) => redis.hgetall('holders'))).toEqual({ '//ref': '2' });
});
