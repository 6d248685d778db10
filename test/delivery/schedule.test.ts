import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextAttempt, RETRY_DELAYS_MS } from '../../src/delivery/schedule.js';

const HOUR = 60 * 60_000;
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const question = { attempts: 1, now: 0, firstAttemptAt: 0, windowMs: 4 * HOUR, random: 0.5 };

describe('the schedule', () => {
  test.each([
    [1, 5],
    [2, 15],
    [3, 45],
    [4, 120],
    [5, 360],
    [6, 900],
    [7, 2_100],
    [8, 3_600],
    [9, 7_200],
  ])('after attempt %i the next one is due in %i s, in the middle of the jitter', (attempts, seconds) => {
    expect(nextAttempt({ ...question, attempts })).toEqual({ due: seconds * 1_000 });
  });

  test('after the tenth attempt there is no other', () => {
    expect(nextAttempt({ ...question, attempts: 10 })).toEqual({ over: 'retries-used' });
  });

  test.each([
    [0, 4_000],
    [0.25, 4_500],
    [0.999999, 5_999],
  ])('the jitter is a fifth either way: random %d of 5 s is %i ms', (random, due) => {
    expect(nextAttempt({ ...question, random })).toEqual({ due });
  });

  test('Retry-After sets a minimum for the delay', () => {
    expect(nextAttempt({ ...question, retryAfterMs: 60_000 })).toEqual({ due: 60_000 });
    expect(nextAttempt({ ...question, retryAfterMs: 1_000 })).toEqual({ due: 5_000 });
  });

  test('an attempt that would fall after the window is moved into it if its jitter allows that', () => {
    const last = { ...question, attempts: 9, now: 2 * HOUR + 10 * 60_000, random: 0.999999 };
    const answer = nextAttempt(last);
    expect(answer).toEqual({ due: expect.any(Number) });
    expect('due' in answer && answer.due).toBeLessThanOrEqual(4 * HOUR);
  });

  test('if even the shortest delay exceeds the window, the window is over', () => {
    expect(nextAttempt({ ...question, attempts: 9, now: 3 * HOUR })).toEqual({ over: 'window-over' });
    expect(nextAttempt({ ...question, windowMs: 3_999 })).toEqual({ over: 'window-over' });
    expect(nextAttempt({ ...question, windowMs: 4_000 })).toEqual({ due: 4_000 });
  });

  test('a delivery ends when its endpoint asks for a longer pause than its window has left', () => {
    expect(nextAttempt({ ...question, retryAfterMs: 4 * HOUR + 1 })).toEqual({ over: 'window-over' });
    expect(nextAttempt({ ...question, retryAfterMs: 4 * HOUR })).toEqual({ due: 4 * HOUR });
  });

  test('all ten attempts fit into four hours with any jitter, if each ends at once', () => {
    const chances = fc.array(random, { minLength: 9, maxLength: 9 });
    fc.assert(
      fc.property(chances, (drawn) => {
        let now = 0;
        for (const [index, random] of drawn.entries()) {
          const answer = nextAttempt({ ...question, attempts: index + 1, now, random });
          if (!('due' in answer)) return false;
          now = answer.due;
        }
        return now <= 4 * HOUR;
      }),
    );
  });

  test('a window of a day is used to its end: the last delay of two hours is repeated', () => {
    fc.assert(
      fc.property(fc.integer({ min: 4 * HOUR + 1, max: 24 * HOUR }), fc.infiniteStream(random), (windowMs, chances) => {
        let now = 0;
        for (let attempts = 1; ; attempts++) {
          const answer = nextAttempt({ ...question, attempts, now, windowMs, random: chances.next().value });
          if ('due' in answer) now = answer.due;
          else return answer.over === 'window-over' && now <= windowMs && now + 0.8 * 2 * HOUR > windowMs;
        }
      }),
    );
  });

  test('with a window of a day, a delivery is retried two hours after the tenth and the twentieth attempt', () => {
    for (const attempts of [10, 20]) {
      expect(nextAttempt({ ...question, attempts, windowMs: 24 * HOUR })).toEqual({ due: 2 * HOUR });
    }
  });

  test('an attempt is never due before its shortest delay or the requested pause, and never after the window', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10 }),
        fc.nat(5 * HOUR),
        fc.nat(5 * HOUR),
        fc.option(fc.nat(5 * HOUR), { nil: undefined }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempts, now, windowMs, retryAfterMs, random) => {
          const answer = nextAttempt({ attempts, now, firstAttemptAt: 0, windowMs, retryAfterMs, random });
          if ('over' in answer) return true;
          const delay = RETRY_DELAYS_MS[attempts - 1] ?? 2 * HOUR;
          return answer.due >= now + Math.max(delay * 0.8, retryAfterMs ?? 0) && answer.due <= windowMs;
        },
      ),
    );
  });
});
