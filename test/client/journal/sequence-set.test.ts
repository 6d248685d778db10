import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SequenceSet } from '../../../src/client/journal/sequence-set.js';

const range = fc.tuple(fc.nat(60), fc.nat(15)).map(([from, length]) => [from, from + length] as const);

test('a set of sequence numbers has exactly what was added to it, in whatever order', () => {
  fc.assert(
    fc.property(fc.array(range, { maxLength: 20 }), (ranges) => {
      const set = new SequenceSet();
      const added = new Set<number>();
      for (const [from, to] of ranges) {
        set.add(from, to);
        for (let sequence = from; sequence < to; sequence++) added.add(sequence);
      }
      for (let sequence = 0; sequence < 80; sequence++) expect(set.has(sequence)).toBe(added.has(sequence));
      // Ranges that touch are one, so that there are as few as can be.
      const ends = [set.low, ...set.ranges.flat()];
      expect(ends.every((end, index) => index === 0 || end > (ends[index - 1] ?? 0))).toBe(true);
    }),
  );
});

test('a set of sequence numbers that is made of its own parts is the same set', () => {
  const set = new SequenceSet();
  set.add(0, 5);
  set.add(7, 9);
  expect(new SequenceSet(set.low, set.ranges)).toEqual(set);
});
