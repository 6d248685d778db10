import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ImportProgress } from '../../../src/cli/import/import-progress.js';

/** The progress of an import that has read so many rows. */
function progressAfter(rows: number, text = (line: number) => `row ${line}`): ImportProgress {
  const progress = new ImportProgress();
  for (let line = 1; line <= rows; line++) {
    const row = { line, start: 0, text: text(line), value: {}, problem: undefined };
    progress.add({ file: 0, name: 'a', row, bytes: line });
  }
  return progress;
}

test('the progress of an import counts a rejected row when every row before it has ended', () => {
  const progress = progressAfter(3);
  progress.reject(1, 'why');
  expect(progress.takeRejects()).toEqual([]);
  expect(progress.passTo(2)).toBe(true);
  expect(progress.passTo(2)).toBe(false);
  expect(progress).toMatchObject({ delivered: 1, rejected: 1, read: 3, last: { row: { line: 2 } } });
  expect(progress.takeRejects()).toEqual([{ file: 'a', line: 2, reason: 'why', row: 'row 2' }]);
  expect(progress.takeRejects()).toEqual([]);
});

test('the progress of an import takes each rejected row once and in order, however far rows have ended', () => {
  const rejected = fc.uniqueArray(fc.integer({ min: 0, max: 99 }));
  const steps = fc.array(fc.integer({ min: 0, max: 100 })).map((some) => [...some.sort((a, b) => a - b), 100]);
  fc.assert(
    fc.property(rejected, steps, (indexes, ends) => {
      const progress = progressAfter(100);
      for (const index of indexes) progress.reject(index, 'why');
      const entries = ends.map((end) => {
        progress.passTo(end);
        return progress.takeRejects();
      });
      const lines = entries.flat().map(({ line }) => line);
      expect(lines).toEqual(indexes.map((index) => index + 1).sort((a, b) => a - b));
      expect(progress).toMatchObject({ delivered: 100 - indexes.length, rejected: indexes.length });
    }),
    { numRuns: 30 },
  );
});

test('the progress of an import is full until large rows are delivered, and rejected ones are taken', () => {
  const progress = progressAfter(2, () => 'x'.repeat(17 * 1024 * 1024));
  progress.reject(0, 'why');
  expect(progress.isFull).toBe(true);
  progress.passTo(1);
  expect(progress.isFull).toBe(true);
  progress.takeRejects();
  expect(progress.isFull).toBe(false);
});

test('the progress of an import has room again for each large row that was delivered', () => {
  const progress = progressAfter(2, () => 'x'.repeat(17 * 1024 * 1024));
  expect(progress.isFull).toBe(true);
  progress.passTo(1);
  expect(progress.isFull).toBe(false);
});
