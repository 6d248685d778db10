import { expect, test } from 'vitest';
import { newEvent, type StoredEvent } from '../../src/delivery/completion-rule.js';
import type { Dead, Retrying } from '../../src/delivery/state.js';
import { keptBytesOf, UrlTally } from '../../src/store/kept-tally.js';

const attempt = { at: 1, durationMs: 1, result: 'rejected', status: 400 } as const;
const deadWith = (answer: string | undefined): Dead => ({
  phase: 'dead',
  at: 5,
  reason: 'permanent',
  history: answer === undefined ? [attempt] : [attempt, { ...attempt, answer }],
});
const retrying: Retrying = { phase: 'retrying', due: 9, firstAttemptAt: 1, attempts: 1, history: [] };

const event = (urls: StoredEvent['urls'], isDead = false): StoredEvent => ({
  ...newEvent('m1', 'track', Object.keys(urls), 1, { bytes: 10 }),
  urls,
  isDead,
});

const waiting = newEvent('m2', 'track', ['a', 'b'], 1, { bytes: 100 });

test('a tally counts waiting deliveries by URL and stage, and their bytes per URL', () => {
  const tally = new UrlTally();
  tally.add(waiting, 1);
  tally.add(event({ a: retrying }), 1);
  expect(tally.backlog()).toEqual([
    { url: 'a', first: 1, retry: 1, bytes: 110 },
    { url: 'b', first: 1, retry: 0, bytes: 100 },
  ]);
  expect(tally.deadTotals()).toEqual({ events: 0, bytes: 0, deliveries: [] });
});

test('a tally counts a dead letter once, with its answers, and its deliveries by URL and reason', () => {
  const tally = new UrlTally();
  tally.add(event({ a: deadWith('nö'), b: deadWith(undefined) }, true), 1);
  expect(tally.deadTotals()).toEqual({
    events: 1,
    bytes: 13,
    deliveries: ['a', 'b'].map((url) => ({ url, type: 'track', reason: 'permanent', count: 1 })),
  });
  expect(tally.backlog()).toEqual([]);
});

test('the size of a dead letter is that of its body and of the last answers of its dead deliveries only', () => {
  const answered: Retrying = { ...retrying, history: [{ ...attempt, answer: 'come back later' }] };
  expect(keptBytesOf(event({ a: deadWith('no'), b: answered }, true))).toBe(12);
});

test('a dead delivery of an event that is not a dead letter is not counted', () => {
  const tally = new UrlTally();
  tally.add(event({ a: deadWith('no'), b: retrying }), 1);
  expect(tally.deadTotals().deliveries).toEqual([]);
  expect(tally.backlog()).toEqual([{ url: 'b', first: 0, retry: 1, bytes: 10 }]);
});

test('subtracting all events leaves no counts, and a restored tally has the same counts', () => {
  const events = [waiting, event({ a: deadWith('no') }, true)];
  const tally = new UrlTally();
  for (const each of events) tally.add(each, 1);
  const copy = new UrlTally();
  copy.addAll(tally.entries());
  expect(copy.backlog()).toEqual(tally.backlog());
  expect(copy.deadTotals()).toEqual(tally.deadTotals());
  for (const each of events) tally.add(each, -1);
  expect([...tally.entries()]).toEqual([]);
});

test('the bytes of a dead letter include its body and its last answers', () => {
  expect(keptBytesOf(event({ a: deadWith('nö'), b: deadWith('x') }, true))).toBe(14);
  const { bytes: _, ...old } = event({ a: retrying });
  expect(keptBytesOf(old)).toBe(0);
});
