import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { newEvent, type StoredEvent } from '../../../src/delivery/completion-rule.js';
import type { StoredState } from '../../../src/delivery/state.js';
import { Messages } from '../../../src/store/redis/messages.js';
import { RedisClient } from '../../../src/store/redis/redis-client.js';
import { RedisCounts } from '../../../src/store/redis/redis-counts.js';
import { RedisKeys } from '../../../src/store/redis/redis-keys.js';
import { replacementOf } from '../../../src/store/redis/replacement.js';
import { textOf } from '../../../src/store/redis/stored-text.js';

const A = 'https://a.example/';
const B = 'https://b.example/';
const BYTES = 10;

const keys = new RedisKeys('orders');
/** Fails whatever asks Redis. */
const link = new RedisClient({} as unknown as Redis);
const store = { keys, counts: new RedisCounts(link, keys, new Messages('{own}:')) };

const untried = newEvent('m1', 'track', [A, B], 1_000, { bytes: BYTES });
const retryAt = (due: number): StoredState => ({
  phase: 'retrying',
  due,
  firstAttemptAt: 1_100,
  attempts: 1,
  history: [],
});
const withUrls = (event: StoredEvent, urls: Readonly<Record<string, StoredState>>): StoredEvent => ({
  ...event,
  urls: { ...event.urls, ...urls },
});

/** The event as it was read, by its short text. */
const read = (event: StoredEvent) => ({ event, text: textOf(event, 'r1', BYTES), ref: 'r1' });

test('a first attempt that is to be made again leaves the line of first attempts and enters that of retries', () => {
  const next = withUrls(untried, { [A]: retryAt(5_000) });
  expect(replacementOf(read(untried), next, store)).toEqual({
    id: 'm1',
    keys,
    ref: 'r1',
    was: `["r1","${A}","${B}"]`,
    is: `["r1",["${A}","r",4000,100,1],"${B}"]`,
    bytes: BYTES,
    leaves: [],
    begins: keys.wayTo([A]).lines,
    enters: [{ key: keys.waiting(A, 'retry'), at: 5_000 }],
    counts: [[keys.bytes(A), BYTES]],
  });
});

test('a retry at another time enters its line again at that time, and what waits elsewhere stays as it is', () => {
  const before = withUrls(untried, { [A]: retryAt(5_000), [B]: retryAt(6_000) });
  const { leaves, begins, enters, counts } = replacementOf(
    read(before),
    withUrls(before, { [A]: retryAt(9_000) }),
    store,
  );
  const line = keys.waiting(A, 'retry');
  expect({ leaves, begins, enters, counts }).toEqual({
    leaves: [line],
    begins: [],
    enters: [{ key: line, at: 9_000 }],
    counts: [],
  });
});

test('a last retry that fails leaves its line, and its event enters the dead letters', () => {
  const before = withUrls(newEvent('m1', 'track', [A], 1_000, { bytes: BYTES }), { [A]: retryAt(5_000) });
  const dead = withUrls(before, { [A]: { phase: 'dead', at: 5_100, reason: 'permanent', history: [] } });
  const { leaves, begins, enters, counts } = replacementOf(read(before), { ...dead, isDead: true }, store);
  expect({ leaves, begins, enters }).toEqual({
    leaves: [keys.waiting(A, 'retry')],
    begins: [],
    enters: [{ key: keys.dead, at: 1_000 }],
  });
  expect(Object.fromEntries(counts)).toEqual({
    [`${keys.digest(A)}/dead track permanent`]: 1,
    '/letters': 1,
    '/letter bytes': BYTES,
    [keys.bytes(A)]: -BYTES,
  });
});

test('an event that is forgotten leaves all of its lines and enters none', () => {
  const before = withUrls(untried, { [B]: retryAt(5_000) });
  expect(replacementOf(read(before), undefined, store)).toEqual({
    id: 'm1',
    keys,
    ref: 'r1',
    was: `["r1","${A}",["${B}","r",4000,100,1]]`,
    is: undefined,
    bytes: BYTES,
    leaves: [keys.waiting(B, 'retry')],
    begins: keys.wayTo([A]).lines,
    enters: [],
    counts: [[keys.bytes(B), -BYTES]],
  });
});

test('an event that was told in full is told in full again', () => {
  const text = textOf(untried, 'r1');
  const next = withUrls(untried, { [A]: retryAt(5_000) });
  const { was, is } = replacementOf({ event: untried, text, ref: 'r1' }, next, store);
  expect([was, is]).toEqual([text, JSON.stringify({ ref: 'r1', ...next })]);
});

test('an event of an earlier version, which has no ref and knows no size, gets neither', () => {
  const event = newEvent('m1', 'track', [A], 1_000);
  const text = textOf(event, undefined);
  const next = withUrls(event, { [A]: retryAt(5_000) });
  const { ref, is, bytes, counts } = replacementOf({ event, text, ref: undefined }, next, store);
  expect({ ref, is, bytes, counts }).toEqual({ ref: undefined, is: JSON.stringify(next), bytes: 0, counts: [] });
});
