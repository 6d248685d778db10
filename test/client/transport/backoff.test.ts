import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backoffMs } from '../../../src/client/transport/circuit-breaker.js';

const almostOne = 1 - Number.EPSILON;

test('the longest pause doubles from half a second up to thirty seconds', () => {
  const longest = [1, 2, 3, 4, 5, 6, 7, 8, 100].map((failures) => Math.round(backoffMs(failures, almostOne)));
  expect(longest).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
});

test('the pause may be anything from zero to the longest', () => {
  expect(backoffMs(3, 0)).toBe(0);
  expect(backoffMs(3, 0.25)).toBe(500);
});

test('the pause is never longer than thirty seconds, after any number of failures', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.double({ min: 0, max: almostOne, noNaN: true }),
      (failures, chance) => {
        const ms = backoffMs(failures, chance);
        return ms >= 0 && ms < 30_000;
      },
    ),
  );
});
