import { expect, test } from 'vitest';
import { newEvent } from '../../src/delivery/completion-rule.js';
import type { Dead, Retrying } from '../../src/delivery/state.js';
import { compareQueueKeys, stageOf, waitingEntries } from '../../src/store/queue-key.js';

const dead: Dead = { phase: 'dead', at: 5, reason: 'permanent', history: [] };
const retrying: Retrying = { phase: 'retrying', due: 9, firstAttemptAt: 1, attempts: 1, history: [] };

test.each([
  ['an earlier time', { at: 1, id: 'b' }, { at: 2, id: 'a' }, -1],
  ['the id within a millisecond', { at: 1, id: 'b' }, { at: 1, id: 'a' }, 1],
  // In UTF-16 the order would be the opposite.
  ["the id's UTF-8", { at: 1, id: '\uFFFD' }, { at: 1, id: '\u{10000}' }, -1],
  ['nothing', { at: 1, id: 'a' }, { at: 1, id: 'a' }, 0],
])('queue keys are ordered by %s', (_, a, b, order) => {
  expect(Math.sign(compareQueueKeys(a, b))).toBe(order);
});

test('an event has an entry with its stage for each URL where it waits, and none where it has ended', () => {
  const event = newEvent('m1', 'track', ['a', 'b', 'c'], 7);
  expect(waitingEntries({ ...event, urls: { ...event.urls, b: retrying, c: dead } })).toEqual([
    { url: 'a', stage: 'first', at: 7, id: 'm1' },
    { url: 'b', stage: 'retry', at: 9, id: 'm1' },
  ]);
  expect(stageOf(retrying)).toBe('retry');
});
