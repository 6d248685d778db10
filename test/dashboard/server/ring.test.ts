import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Ring } from '../../../src/dashboard/server/ring.js';

const entry = (seq: number, json = 'x') => ({ seq, json });

test('the ring returns the entries after a number, at most its capacity', () => {
  const numbers = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 60 });
  fc.assert(
    fc.property(numbers, fc.integer({ min: 1, max: 8 }), fc.nat(80), fc.nat(10), (steps, maxCount, after, limit) => {
      const ring = new Ring({ maxCount, maxCharacters: 1000 });
      let seq = 0;
      const all = steps.map((step) => {
        seq += step;
        ring.add(entry(seq));
        return seq;
      });
      const kept = all.slice(-maxCount);
      expect(ring.size).toBe(kept.length);
      expect(ring.droppedSeq).toBe(all.at(-maxCount - 1) ?? 0);
      expect(ring.after(after, limit).map((one) => one.seq)).toEqual(kept.filter((one) => one > after).slice(0, limit));
    }),
  );
});

test('the ring keeps at most its number of characters, but always the newest entry', () => {
  const ring = new Ring({ maxCount: 10, maxCharacters: 10 });
  for (const seq of [1, 2, 3]) ring.add(entry(seq, 'xxxx'));
  expect(ring.after(0, 10).map(({ seq }) => seq)).toEqual([2, 3]);
  ring.add(entry(4, 'x'.repeat(50)));
  expect(ring.after(0, 10).map(({ seq }) => seq)).toEqual([4]);
});
