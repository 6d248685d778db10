import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EntryLog } from '../../../../src/dashboard/page/live/message-log.js';

test('the log keeps the newest entries, and shows those that match the filter', () => {
  const steps = fc.array(fc.array(fc.nat(9), { maxLength: 12 }), { maxLength: 8 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 10 }), fc.nat(9), (batches, capacity, least) => {
      const log = new EntryLog<{ value: number }>(capacity);
      const isShown = ({ value }: { value: number }): boolean => value >= least;
      log.filter(isShown);
      const all = batches.flatMap((values) => {
        const entries = values.map((value) => ({ value }));
        log.add(entries);
        return entries;
      });
      const kept = all.slice(-capacity);
      expect([log.total, log.size]).toEqual([all.length, kept.length]);
      expect(log.visible).toEqual(kept.filter(isShown).reverse());
      expect(log.shown).toBe(all.filter(isShown).length);
    }),
  );
});
