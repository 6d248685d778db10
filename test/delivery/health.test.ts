import { describe, expect, test } from 'vitest';
import type { Clock } from '../../src/base/time/clock.js';
import type { ResultClass } from '../../src/delivery/attempt-outcome.js';
import { Health } from '../../src/delivery/health.js';
import type { Attempt } from '../../src/delivery/state.js';

const clock = { now: () => 0 } as Clock;

/** `x` failed and `.` did not. Returns the attempts with `F` while the endpoint is failing. */
const after = (attempts: string): string => {
  const health = new Health({ clock, random: () => 0, listener: { breakerTurned: () => {}, failingTurned: () => {} } });
  return Array.from(attempts, (attempt) => {
    health.judge({ at: 0, durationMs: 1, result: attempt === 'x' ? 'server-error' : 'success' }, false);
    return health.isFailing ? 'F' : '.';
  }).join('');
};

test.each([
  ['one or two failures do not count as failing', 'xx', '..'],
  ['three failures count as failing', 'xxx', '..F'],
  ['failures of half of the attempts do not count', '.x.x.x.x.x', '..........'],
  ['two failures of three attempts do not count', 'x.x', '...'],
  [
    'failures of most of the latest attempts count, after any number of successes',
    '..........xxxxxx',
    '...............F',
  ],
  ['failing ends when less than a third failed', 'xxx.......', '..FFFFFFF.'],
  ['an endpoint that fails every other time does not alternate', 'xxx.x.x.x.x.x.x.', '..FFFFFFFFFFFFFF'],
  ['only the last ten attempts count', 'xxxxxxxxxxxxxxxxxxxx.......', '..FFFFFFFFFFFFFFFFFFFFFFFF.'],
])('an endpoint is failing while most attempts fail: %s', (_, attempts, failing) => {
  expect(after(attempts)).toBe(failing);
});

test('health counts the failures in a row and keeps the last one, until an attempt succeeds', () => {
  const health = new Health({ clock, random: () => 0, listener: { breakerTurned: () => {}, failingTurned: () => {} } });
  const attempt = (result: ResultClass, status: number): Attempt => ({ at: 0, durationMs: 1, result, status });
  expect(health.failures).toBeUndefined();
  health.judge(attempt('server-error', 500), false);
  health.judge(attempt('rejected', 404), false);
  expect(health.failures).toEqual({ inARow: 2, last: attempt('rejected', 404), since: 0 });
  health.judge(attempt('success', 200), false);
  expect(health.failures).toBeUndefined();
});

test('the listener is told once when an endpoint begins to fail, and once when that ends', () => {
  const told: unknown[] = [];
  const listener = { breakerTurned: () => {}, failingTurned: (failing: unknown) => void told.push(failing) };
  const health = new Health({ clock, random: () => 0, listener });
  const rejected: Attempt = { at: 0, durationMs: 1, result: 'rejected', status: 404 };
  for (let attempts = 0; attempts < 4; attempts++) health.judge(rejected, false);
  expect(told).toEqual([{ failed: 3, attempts: 3, last: rejected, since: 0 }]);
  for (let attempts = 0; attempts < 9; attempts++) health.judge({ ...rejected, result: 'success', status: 200 }, false);
  expect(told.slice(1)).toEqual([undefined]);
});

describe('the failures of an endpoint', () => {
  const listener = { breakerTurned: () => {}, failingTurned: () => {} };
  const given = { clock, random: () => 0, listener };
  const ways = { '.': ['success', 200], x: ['server-error', 500], '4': ['rejected', 404], t: ['timeout'] } as const;
  /** Judges one attempt for each character, one a second. */
  const judge = (health: Health, attempts: string, from = 0): Health => {
    for (const [index, way] of [...attempts].entries()) {
      const [result, status] = ways[way as keyof typeof ways];
      const at = (from + index) * 1_000;
      health.judge({ at, durationMs: 1, result, ...(status !== undefined && { status }) }, false);
    }
    return health;
  };

  test.each([
    ['begin with the first of those in a row', '..xx', 2_000],
    ['begin in this way whatever their kind', '.4tx44', 1_000],
    ['end with a success while most attempts succeeded', '.x.', undefined],
    ['do not end with a success while most attempts failed', '.xxxx.', 1_000],
    ['end when most attempts succeed', 'xxx.......', undefined],
    ['begin again after that', 'xxx.......x', 10_000],
  ])('the failures of an endpoint %s', (_, attempts, since) => {
    expect(judge(new Health(given), attempts).failingSince).toBe(since);
  });

  test('the failures of an earlier process continue until most attempts succeed', () => {
    const last: Attempt = { at: 9, durationMs: 1, result: 'server-error', status: 500 };
    const health = new Health({ ...given, failedBefore: { inARow: 3, last, since: 7, isFailing: true } });
    const now = () => [health.isFailing, health.failingSince];
    expect([health.isFailing, health.failures?.last, health.failingSince]).toEqual([true, last, 7]);
    judge(health, 'x');
    expect([...now(), health.failures?.inARow]).toEqual([true, 7, 4]);
    judge(health, '.....');
    expect(now()).toEqual([true, 7]);
    judge(health, '......');
    expect(now()).toEqual([false, undefined]);
  });

  test('one failure of an earlier process does not make an endpoint count as failing, and a success clears it', () => {
    const last: Attempt = { at: 9, durationMs: 1, result: 'server-error', status: 500 };
    const health = new Health({ ...given, failedBefore: { inARow: 1, last, since: 7, isFailing: false } });
    judge(health, 'x');
    expect([health.isFailing, health.failingSince, health.failures?.inARow]).toEqual([false, 7, 2]);
    judge(health, '.');
    expect([health.isFailing, health.failingSince]).toEqual([false, undefined]);
  });
});
