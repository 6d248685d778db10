import { describe, expect, test } from 'vitest';
import { afterFailure, type Breaker, OPEN, probe } from '../../src/destination/breaker.js';

const failure = { now: 0, chance: 0.5, retryAfterMs: undefined, wasProbe: false };

const after = (count: number, from: Breaker = OPEN): Breaker =>
  Array.from({ length: count }).reduce<Breaker>((breaker) => afterFailure(breaker, failure), from);

describe('the breaker', () => {
  test('pauses the endpoint at the tenth failure in a row', () => {
    expect(after(9)).toEqual({ phase: 'open', failures: 9 });
    expect(after(10)).toEqual({ phase: 'paused', until: 5_000, pauses: 1 });
  });

  test('hears nothing new in failures from before the pause', () => {
    const paused = after(10);
    expect(afterFailure(paused, { ...failure, now: 4_000 })).toBe(paused);
  });

  test('lets one request through when the pause is over, and not before', () => {
    const paused = after(10);
    expect(probe(paused, 4_999)).toBe(paused);
    expect(probe(paused, 5_000)).toEqual({ phase: 'probing', pauses: 1 });
  });

  test('pauses twice as long each time the request fails, up to a minute', () => {
    const lengths: number[] = [];
    let breaker = after(10);
    for (let count = 0; count < 7; count++) {
      if (breaker.phase !== 'paused') throw new Error('not paused');
      lengths.push(breaker.until);
      breaker = afterFailure(probe(breaker, breaker.until), { ...failure, wasProbe: true });
    }
    expect(lengths).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000]);
  });

  test.each([
    [0, 4_000],
    [0.999999, 5_999],
  ])('spreads the pauses by a fifth either way: chance %d, %i ms', (chance, until) => {
    expect(afterFailure(after(9), { ...failure, chance })).toMatchObject({ until });
  });

  test('pauses for at least as long as the endpoint asks, up to an hour', () => {
    expect(afterFailure(after(9), { ...failure, retryAfterMs: 90_000 })).toMatchObject({ until: 90_000 });
    expect(afterFailure(after(9), { ...failure, retryAfterMs: 1_000 })).toMatchObject({ until: 5_000 });
    expect(afterFailure(after(9), { ...failure, retryAfterMs: 86_400_000 })).toMatchObject({ until: 3_600_000 });
  });
});
