import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EntryLog } from '../../../../src/dashboard/page/live/message-log.js';

test('the log keeps the newest entries, newest first, and counts all', () => {
  const steps = fc.array(fc.array(fc.nat(9), { maxLength: 12 }), { maxLength: 8 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 10 }), (batches, capacity) => {
      const log = new EntryLog<number>(capacity);
      for (const batch of batches) log.add(batch);
      const all = batches.flat();
      expect(log.total).toBe(all.length);
      expect(log.entries).toEqual(all.slice(-capacity).reverse());
    }),
  );
});
