import { expect, test } from 'vitest';
import type { Clock } from '../../src/base/time/clock.js';
import type { ResultClass } from '../../src/delivery/attempt-outcome.js';
import { FailureWindow, Health } from '../../src/delivery/health.js';
import type { Attempt } from '../../src/delivery/state.js';

/** `x` failed and `.` did not; gives the same with `F` while it is failing. */
const after = (attempts: string): string => {
  const recent = new FailureWindow();
  return Array.from(attempts, (attempt) => {
    recent.add(attempt === 'x');
    return recent.isFailing ? 'F' : '.';
  }).join('');
};

test.each([
  ['one and two failures alone say nothing', 'xx', '..'],
  ['three failures do', 'xxx', '..F'],
  ['half of the attempts are not most', '.x.x.x.x.x', '..........'],
  ['two failures of three do not', 'x.x', '...'],
  ['most of the last attempts do, however many went well before', '..........xxxxxx', '...............F'],
  ['it is over once less than a third failed', 'xxx.......', '..FFFFFFF.'],
  ['an endpoint that fails every other time does not come and go', 'xxx.x.x.x.x.x.x.', '..FFFFFFFFFFFFFF'],
  ['only the last ten count', 'xxxxxxxxxxxxxxxxxxxx.......', '..FFFFFFFFFFFFFFFFFFFFFFFF.'],
])('%s', (_, attempts, failing) => {
  expect(after(attempts)).toBe(failing);
});

test('the health of an endpoint says when failing begins and ends', () => {
  const recent = new FailureWindow();
  expect(Array.from('xxxx', () => recent.add(true))).toEqual([false, false, true, false]);
  expect({ failed: recent.failed, count: recent.count }).toEqual({ failed: 4, count: 4 });
});

test('how many attempts failed in a row, and the last of them, until one succeeds', () => {
  const clock = { now: () => 0 } as Clock;
  const health = new Health({ clock, random: () => 0, listener: { breakerTurned: () => {}, failingTurned: () => {} } });
  const attempt = (result: ResultClass, status: number): Attempt => ({ at: 0, durationMs: 1, result, status });
  expect(health.failures).toBeUndefined();
  health.judge(attempt('server-error', 500), false);
  health.judge(attempt('rejected', 404), false);
  expect(health.failures).toEqual({ inARow: 2, last: attempt('rejected', 404) });
  health.judge(attempt('success', 200), false);
  expect(health.failures).toBeUndefined();
});

test('that an endpoint is failing is told once, when it begins, and once when it ends', () => {
  const told: unknown[] = [];
  const listener = { breakerTurned: () => {}, failingTurned: (failing: unknown) => void told.push(failing) };
  const health = new Health({ clock: { now: () => 0 } as Clock, random: () => 0, listener });
  const rejected: Attempt = { at: 0, durationMs: 1, result: 'rejected', status: 404 };
  for (let attempts = 0; attempts < 4; attempts++) health.judge(rejected, false);
  expect(told).toEqual([{ failed: 3, attempts: 3, last: rejected }]);
  for (let attempts = 0; attempts < 9; attempts++) health.judge({ ...rejected, result: 'success', status: 200 }, false);
  expect(told.slice(1)).toEqual([undefined]);
});
