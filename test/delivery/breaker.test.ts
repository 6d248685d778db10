import { describe, expect, test } from 'vitest';
import { afterFailure, type Breaker, CLOSED, probe } from '../../src/delivery/health.js';

const failure = { now: 0, random: 0.5, retryAfterMs: undefined, wasProbe: false };

const after = (count: number, from: Breaker = CLOSED): Breaker =>
  Array.from({ length: count }).reduce<Breaker>((breaker) => afterFailure(breaker, failure), from);

describe('the breaker', () => {
  test('the breaker opens at the tenth failure in a row', () => {
    expect(after(9)).toEqual({ phase: 'closed', failures: 9 });
    expect(after(10)).toEqual({ phase: 'open', until: 5_000, openings: 1 });
  });

  test('the breaker ignores failures of requests from before it opened', () => {
    const open = after(10);
    expect(afterFailure(open, { ...failure, now: 4_000 })).toBe(open);
  });

  test('the breaker half-opens for one request when its pause is over, and not before', () => {
    const open = after(10);
    expect(probe(open, 4_999)).toBe(open);
    expect(probe(open, 5_000)).toEqual({ phase: 'half-open', openings: 1 });
  });

  test('the breaker doubles its pause each time the trial request fails, up to a minute', () => {
    const lengths: number[] = [];
    let breaker = after(10);
    for (let count = 0; count < 7; count++) {
      if (breaker.phase !== 'open') throw new Error('not open');
      lengths.push(breaker.until);
      breaker = afterFailure(probe(breaker, breaker.until), { ...failure, wasProbe: true });
    }
    expect(lengths).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000]);
  });

  test.each([
    [0, 4_000],
    [0.999999, 5_999],
  ])('the breaker varies its pause by a fifth either way: random %d, %i ms', (random, until) => {
    expect(afterFailure(after(9), { ...failure, random })).toMatchObject({ until });
  });

  test('the breaker pauses at least as long as the endpoint asks, up to an hour', () => {
    expect(afterFailure(after(9), { ...failure, retryAfterMs: 90_000 })).toMatchObject({ until: 90_000 });
    expect(afterFailure(after(9), { ...failure, retryAfterMs: 1_000 })).toMatchObject({ until: 5_000 });
    expect(afterFailure(after(9), { ...failure, retryAfterMs: 86_400_000 })).toMatchObject({ until: 3_600_000 });
  });
});
