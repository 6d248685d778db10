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
    leaves: [],
    begins: keys.wayTo([A]).lines,
    enters: [{ key: keys.line(A).timed, at: 5_000, kind: 't', name: keys.line(A).name }],
    laneChanges: [],
    counts: [],
  });
});

test('a retry at another time enters its line again at that time, and what waits elsewhere stays as it is', () => {
  const before = withUrls(untried, { [A]: retryAt(5_000), [B]: retryAt(6_000) });
  const { leaves, begins, enters, counts } = replacementOf(
    read(before),
    withUrls(before, { [A]: retryAt(9_000) }),
    store,
  );
  const { timed: line, name } = keys.line(A);
  expect({ leaves, begins, enters, counts }).toEqual({
    leaves: [line],
    begins: [],
    enters: [{ key: line, at: 9_000, kind: 't', name }],
    counts: [],
  });
});

test('a last retry that fails leaves its line, and its event enters the dead letters', () => {
  const before = withUrls(newEvent('m1', 'track', [A], 1_000, { bytes: BYTES }), { [A]: retryAt(5_000) });
  const dead = withUrls(before, { [A]: { phase: 'dead', at: 5_100, reason: 'permanent', history: [] } });
  const { leaves, begins, enters, counts } = replacementOf(read(before), { ...dead, isDead: true }, store);
  expect({ leaves, begins, enters }).toEqual({
    leaves: [keys.line(A).timed],
    begins: [],
    enters: [{ key: keys.dead, at: 1_000, kind: 'd', name: '' }],
  });
  expect(Object.fromEntries(counts)).toEqual({
    [`${keys.digest(A)}/dead track permanent`]: 1,
    '/letters': 1,
    '/letter bytes': BYTES,
    [keys.line(A).bytes]: -BYTES,
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
    leaves: [keys.line(B).timed],
    begins: keys.wayTo([A]).lines,
    enters: [],
    laneChanges: [],
    counts: [
      [keys.line(A).bytes, -BYTES],
      [keys.line(B).bytes, -BYTES],
    ],
  });
});

test('an event that was told in full is told in full again', () => {
  const text = textOf(untried, 'r1');
  const next = withUrls(untried, { [A]: retryAt(5_000) });
  const { was, is } = replacementOf({ event: untried, text, ref: 'r1' }, next, store);
  expect([was, is]).toEqual([text, JSON.stringify({ ref: 'r1', ...next })]);
});

test('a delivery of an ordered event stays in the lane of its user for its retries, leaves it dead and enters it anew', () => {
  const [only] = keys.wayTo([A]).lines;
  const first: StoredEvent = { ...newEvent('m1', 'track', [A], 1_000, { bytes: BYTES, user: 'ann' }), isOrdered: true };
  const again = withUrls(first, { [A]: retryAt(5_000) });
  const dead = withUrls(first, { [A]: { phase: 'dead', at: 5_100, reason: 'permanent', history: [] } });
  const changesOf = (before: StoredEvent, after: StoredEvent) => {
    const { user, laneChanges, enters } = replacementOf(read(before), after, store);
    return [user, laneChanges, enters.map(({ kind }) => kind)];
  };
  expect(changesOf(first, again)).toEqual(['ann', [], ['t']]);
  expect(changesOf(again, dead)).toEqual(['ann', [{ line: only, at: undefined }], []]);
  expect(changesOf(dead, first)).toEqual(['ann', [{ line: only, at: 1_000 }], []]);
});
