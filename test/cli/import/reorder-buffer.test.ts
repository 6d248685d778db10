import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Outcome, ReorderBuffer } from '../../../src/cli/import/reorder-buffer.js';

const delivered: Outcome = { kind: 'delivered' };

test('a reorder buffer holds a row until the rows before it end', () => {
  const passed: string[] = [];
  const window = new ReorderBuffer<string>((value) => passed.push(value));
  const [first, second, third] = [window.enter('first'), window.enter('second'), window.enter('third')];
  second(delivered);
  expect(passed).toEqual([]);
  first(delivered);
  expect(passed).toEqual(['first', 'second']);
  expect(window.size).toBe(1);
  third({ kind: 'rejected', reason: 'why' });
  expect(passed).toEqual(['first', 'second', 'third']);
});

test('a reorder buffer passes each row once and in order, however they end', () => {
  const order = fc.integer({ min: 1, max: 3_000 }).chain((count) => {
    const indexes = Array.from({ length: count }, (_, index) => index);
    return fc.shuffledSubarray(indexes, { minLength: count });
  });
  fc.assert(
    fc.property(order, (ends) => {
      const passed: number[] = [];
      const window = new ReorderBuffer<number>((value) => passed.push(value));
      const endings = ends.map((_, index) => window.enter(index));
      for (const index of ends) endings[index]?.(delivered);
      expect(passed).toEqual(ends.map((_, index) => index));
      expect(window.size).toBe(0);
    }),
    { numRuns: 30 },
  );
});
