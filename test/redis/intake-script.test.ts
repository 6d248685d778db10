import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { TAKE_IN, type TakeInAnswer } from '../../src/store/redis/intake-script.js';
import { RedisServer } from './redis-server.js';

const DAY_MS = 86_400_000;
const LEASE_MS = 5_000;

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

beforeEach(() => server.look((redis) => redis.flushall()));

afterAll(() => server.remove());

/** Creates a record whose body is its second line. */
const recordOf = (id: string): string => `record\nof ${id}`;

const run = (keys: readonly string[], call: object, records: readonly string[]) =>
  server.look(async (redis): Promise<TakeInAnswer> => {
    const answer = await redis.eval(TAKE_IN.lua, keys.length, ...keys, JSON.stringify(call), ...records);
    return JSON.parse(String(answer));
  });

const CALL = { leaseMs: LEASE_MS, keepMs: DAY_MS };

/** A member with several deliveries. The byte 255, which is no UTF-8, separates their ids. */
const chunkOf = (...ids: readonly string[]): string => ids.map((id) => `\ufffd${id}`).join('');

/** Takes in messages with one delivery each at one URL, and returns their outcomes and how many are claimed. */
async function take(
  ids: readonly string[],
  { wanted = 0, isSeen = false, text = undefined as string | undefined } = {},
) {
  const keys = ['messages', 'references', 'due', 'place', 'urls', 'events', 'counts', 'first', 'timed'];
  const lines = { of: [1], names: ['line'], first: [8], timed: [9], digests: ['line'], claims: [wanted] };
  const seen = isSeen ? ids.map((id) => keys.push(`seen:${id}`)) : undefined;
  const group = { at: 1_000, ids, record: 2, seen, events: [6], counts: [7], texts: [text ?? false], lines };
  const { groups } = await run(keys, { ...CALL, groups: [group] }, ids.map(recordOf));
  return [groups[0]?.statuses, groups[0]?.claimed?.[0]];
}

test('a stored message is in the line at its time, has a record, is counted, and is due immediately', async () => {
  expect(await take(['m1', 'm2'])).toEqual(['tt', 0]);
  await server.look(async (redis) => {
    expect(await redis.hgetall('events')).toEqual({});
    expect(await redis.hgetall('messages')).toEqual({
      m1: '1000 record\nof m1',
      m2: '1000.0009765625 record\nof m2',
    });
    // Each message has a single event, so it needs no count.
    expect(await redis.hgetall('references')).toEqual({});
    expect(await redis.zrange('first', 0, -1, 'WITHSCORES')).toEqual([chunkOf('m1', 'm2'), '1000']);
    expect(await redis.hgetall('counts')).toEqual({ 'line/bytes': '10', 'line/chunked': '1' });
    expect(await redis.zrange('due', 0, -1, 'WITHSCORES')).toEqual(['line', '0']);
  });
});

test('a message for several URLs is stored with the given record', async () => {
  await take(['m1', 'm2'], { text: 'a text' });
  expect(await server.look((redis) => redis.hgetall('events'))).toEqual({ m1: 'a text', m2: 'a text' });
});

test('the first deliveries are claimed while they are stored if none waits before them', async () => {
  expect(await take(['m1', 'm2', 'm3'], { wanted: 2 })).toEqual(['ttt', 2]);
  expect(await take(['m4'], { wanted: 2 })).toEqual(['t', 0]);
  await server.look(async (redis) => {
    expect(await redis.zrange('timed', 0, -1)).toEqual(['m1', 'm2']);
    expect(await redis.zrange('first', 0, -1)).toEqual(['m3', 'm4']);
    expect(await redis.hgetall('counts')).toEqual({ 'line/bytes': '20' });
  });
});

test('an id that was seen is reported as known', async () => {
  expect(await take(['m1', 'm1'], { isSeen: true })).toEqual(['tk', 0]);
  expect(await take(['m1', 'm2'], { isSeen: true, wanted: 9 })).toEqual(['kt', 0]);
  expect(await server.look((redis) => redis.pttl('seen:m1'))).toBeGreaterThan(DAY_MS - 60_000);
});

test('a delivery that is claimed while it is stored becomes due when its lease ends', async () => {
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
  expect(await take(['m1', 'm2', 'm2'])).toEqual(['ntn', 0]);
  expect(await take(['m2'])).toEqual(['n', undefined]);
  expect(await server.look((redis) => redis.hgetall('counts'))).toEqual({ 'line/bytes': '10' });
});

/**
 * Takes in a message under a key of its own, with a delivery at each of two destinations.
 *
 * @param isLocated whether the process has read the URLs at which an event with that id may wait
 */
async function takeNamed({ sourcedId = undefined as string | undefined, isSeen = false, isLocated = true } = {}) {
  const keys = ['messages', 'references', 'due', 'place', 'urls', 'events', 'counts', 'first', 'timed'];
  keys.push('events2', 'counts2', 'first2', 'timed2', 'urls2', 'seen:m1');
  const known = [isLocated ? [{ first: 8, timed: 9, digest: 'line' }] : [], []];
  const lines = {
    names: ['line', 'line2'],
    digests: ['line', 'line'],
    of: [1, 2],
    first: [8, 12],
    timed: [9, 13],
    claims: [0, 0],
  };
  const group = {
    ...{ at: 1_000, ids: ['m1'], record: 2, seen: isSeen ? [15] : undefined },
    ...{ events: [6, 10], counts: [7, 11], texts: ['one', 'two'], lines },
    named: { ref: '//ref', source: 'app', sourcedId, urls: [5, 14], known },
  };
  const { groups } = await run(keys, { ...CALL, groups: [group] }, [recordOf('m1')]);
  return [groups[0]?.statuses, groups[0]?.newIds];
}

test.each([
  ['without its own record', { isClaimed: false, text: undefined }],
  ['without its own record, which is claimed,', { isClaimed: true, text: undefined }],
  ['with its own record', { isClaimed: false, text: 'a text' }],
])('a destination with an existing event %s does not get its message again, but another one does', async (_, each) => {
  await take(['m1'], { text: each.text, wanted: each.isClaimed ? 1 : 0 });
  expect(await takeNamed()).toEqual(['t', [false, 'm1']]);
  await server.look(async (redis) => {
    expect(await redis.hget('events2', 'm1')).toBe('two');
    expect(Number(await redis.zscore('first2', 'm1'))).toBeGreaterThan(1_000);
    expect(await redis.hgetall('counts2')).toEqual({ 'line/bytes': '5' });
    expect(await redis.hget('messages', '//ref')).toMatch(/^1000\.\d+ record\nof m1$/);
    expect(await redis.hgetall('references')).toEqual({});
  });
});

test.each([
  ['another source', '1000 ["track",1000,"web"]\n{}', ['//app/m1', 'm1']],
  ['no source', '1000 ["track",1000,null,null,"ann"]\n{}', ['//app/m1', 'm1']],
  ['a source that cannot be read', 'damaged', ['//app/m1', 'm1']],
  ['the same source', '1000 ["track",1000,"app"]\n{}', [false, 'm1']],
])(
  'if the message of an existing event has %s, a message with the same id gets the right ids',
  async (_, record, newIds) => {
    await take(['m1'], { text: '["m1"]' });
    await server.look((redis) => redis.hset('messages', 'm1', record));
    expect(await takeNamed({ sourcedId: '//app/m1' })).toEqual(['t', newIds]);
  },
);

test('a message whose id is a key is not stored while its event may wait at a URL that the process does not know', async () => {
  await take(['m1']);
  await server.look((redis) => redis.hset('urls', 'one', 'https://a.example/'));
  expect((await takeNamed({ isLocated: false }))[0]).toBe('n');
  await server.look((redis) => redis.hset('urls', 'another', 'https://b.example/'));
  expect((await takeNamed())[0]).toBe('n');
  expect(await server.look((redis) => redis.exists('events2', 'first2'))).toBe(0);
});

test('a message with a key of its own has a reference for each delivery, and its id is remembered', async () => {
  expect(await takeNamed({ isSeen: true })).toEqual(['t', ['m1', 'm1']]);
  expect((await takeNamed({ isSeen: true }))[0]).toBe('k');
  expect(await server.look((redis) => redis.hgetall('references'))).toEqual({ '//ref': '2' });
});
