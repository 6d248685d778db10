import { expect, test } from 'vitest';
import type { Attempt, StoredState } from '../../src/delivery/state.js';
import { stateIn, tupleOf } from '../../src/store/state-tuple.js';

const URL_A = 'https://a.example/';
const AT = 1_000_000;

const attempts: readonly Attempt[] = [
  { at: AT + 1, durationMs: 20, result: 'server-error', status: 503 },
  { at: AT + 2, durationMs: 0, result: 'network', code: 'ECONNREFUSED' },
  { at: AT - 3, durationMs: 30_000, result: 'timeout', code: 'TIMEOUT' },
  { at: AT + 4, durationMs: 5, result: 'throttled', status: 429, retryAfterMs: 7_000, answer: 'slow "down"' },
  // A combination that no current rule produces.
  { at: AT + 5, durationMs: 5, result: 'redirect', status: 204 },
  { at: AT + 6, durationMs: 5, result: 'removed' },
  { at: AT + 7, durationMs: 5, result: 'network' },
  { at: AT + 7, durationMs: 5, result: 'network' },
  { at: AT + 7, durationMs: 5, result: 'server-error', status: 500 },
  { at: AT + 8, durationMs: 5, result: 'server-error', status: 500 },
  { at: AT + 8, durationMs: 5, result: 'server-error', status: 500, answer: '' },
  { at: AT + 9, durationMs: 5, result: 'rejected', status: 500 },
];

test.each<[string, StoredState]>([
  ['has not been tried', { phase: 'pending', due: AT, history: [] }],
  ['is replayed', { phase: 'pending', due: AT + 90, history: attempts }],
  ['began anew', { phase: 'pending', due: AT, isReplay: true, history: [] }],
  ['is replayed at once', { phase: 'pending', due: AT, history: attempts }],
  ['waits for a retry', { phase: 'retrying', due: AT + 5_000, firstAttemptAt: AT + 1, attempts: 6, history: attempts }],
  ['has arrived', { phase: 'delivered', at: AT + 9, history: attempts }],
  ['is dead', { phase: 'dead', at: AT + 9, reason: 'window-over', history: attempts }],
])('the state of a delivery that %s is unchanged when it is read back', (_, state) => {
  const written = JSON.stringify(tupleOf(URL_A, state, AT));
  expect(stateIn(JSON.parse(written), AT)).toEqual([URL_A, state]);
});

test('an attempt with the same result as the one before takes only two numbers, and a text no name', () => {
  const failed = { durationMs: 20, result: 'server-error', status: 503 } as const;
  const history = [
    { at: AT + 1, ...failed },
    { at: AT + 2, ...failed },
    { at: AT + 3, ...failed, answer: 'down' },
  ];
  expect(tupleOf(URL_A, { phase: 'dead', at: AT + 9, reason: 'window-over', history }, AT)).toEqual([
    ...[URL_A, 'x', 9, 'window-over'],
    ...[
      [1, 20, 503],
      [2, 20],
      [3, 20, 503, 'down'],
    ],
  ]);
});

test('an untried URL is stored as itself, and an attempt takes a few bytes', () => {
  expect(tupleOf(URL_A, { phase: 'pending', due: AT, history: [] }, AT)).toBe(URL_A);
  const state = { phase: 'retrying', due: AT + 9, firstAttemptAt: AT + 1, attempts: 1, history: attempts.slice(0, 1) };
  expect(tupleOf(URL_A, state as StoredState, AT)).toEqual([URL_A, 'r', 9, 1, 1, [1, 20, 503]]);
});
