import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { levelOf } from '../../../src/ledger/attempts/shares.js';

const sizes = fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 1, maxLength: 50 });
const room = fc.integer({ min: 0, max: 20_000 });
const sumOf = (all: readonly number[], level: number): number =>
  all.reduce((sum, size) => sum + Math.min(size, level), 0);

describe('the level that sizes are cut to', () => {
  test('the level that sizes are cut to is infinite if all of them fit', () => {
    expect(levelOf([1, 2, 3], 6)).toBe(Number.POSITIVE_INFINITY);
    expect(levelOf([], 0)).toBe(Number.POSITIVE_INFINITY);
  });

  test.each([
    [[10, 10], 10, 5],
    [[1, 2, 100], 13, 10],
    [[1, 50, 100], 41, 20],
    [[5], 0, 0],
  ])('the sizes %j in a space of %d are cut to the level %d', (all, most, level) => {
    expect(levelOf(all, most)).toBe(level);
  });

  test('the sizes cut to the level fill the space exactly, unless all of them fit', () => {
    fc.assert(
      fc.property(sizes, room, (all, most) => {
        const level = levelOf(all, most);
        const total = sumOf(all, Number.POSITIVE_INFINITY);
        expect(level === Number.POSITIVE_INFINITY).toBe(total <= most);
        expect(sumOf(all, level)).toBeCloseTo(Math.min(total, most), 6);
      }),
    );
  });

  test('the level that sizes are cut to is never below an equal share', () => {
    fc.assert(
      fc.property(sizes, room, (all, most) => {
        expect(levelOf(all, most)).toBeGreaterThanOrEqual(most / all.length);
      }),
    );
  });

  test('the level that sizes are cut to stays the same when a size above it grows', () => {
    fc.assert(
      fc.property(sizes, room, fc.integer({ min: 1, max: 1_000_000 }), (all, most, more) => {
        const level = levelOf(all, most);
        const grown = all.map((size) => (size > level ? size + more : size));
        expect(levelOf(grown, most)).toBeCloseTo(level, 6);
      }),
    );
  });
});
