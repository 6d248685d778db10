import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ImportProgress } from '../../../src/cli/import/import-progress.js';
import type { Input } from '../../../src/cli/import/input.js';

const input: Input = {
  name: 'a',
  path: '/a',
  format: 'ndjson',
  delimiter: ',',
  size: 100,
  isGzip: false,
  isFile: true,
};

/** The progress of an import that has read so many rows. */
function progressAfter(rows: number, text = (line: number) => `row ${line}`): ImportProgress {
  const progress = new ImportProgress({ inputs: [input], from: undefined, clock: { now: () => 0 } });
  for (let line = 1; line <= rows; line++) {
    const row = { line, start: 0, text: text(line), value: {}, problem: undefined };
    progress.read({ file: 0, row, bytes: line });
  }
  return progress;
}

test('the progress of an import counts a rejected row when every row before it has ended', () => {
  const progress = progressAfter(3);
  progress.reject(1, 'why');
  expect(progress.take()).toBeUndefined();
  expect(progress.passTo(2)).toBe(true);
  expect(progress.passTo(2)).toBe(false);
  expect(progress.measure(undefined)).toMatchObject({ rows: 2, rejected: 1, read: 3, bytes: 2 });
  expect(progress.take()).toMatchObject({
    rejects: [{ file: 'a', line: 2, reason: 'why', row: 'row 2' }],
    progress: { file: 0, last: { line: 2 }, delivered: 1, rejected: 1 },
  });
  expect(progress.take()).toBeUndefined();
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
        return progress.take();
      });
      const lines = entries.flatMap((entry) => entry?.rejects ?? []).map(({ line }) => line);
      expect(lines).toEqual(indexes.map((index) => index + 1).sort((a, b) => a - b));
      expect(progress.summary(undefined)).toMatchObject({ delivered: 100 - indexes.length, rejected: indexes.length });
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
  progress.take();
  expect(progress.isFull).toBe(false);
});

test('the progress of an import has room again for each large row that was delivered', () => {
  const progress = progressAfter(2, () => 'x'.repeat(17 * 1024 * 1024));
  expect(progress.isFull).toBe(true);
  progress.passTo(1);
  expect(progress.isFull).toBe(false);
});

const resumedAt = (inputs: readonly Input[], file: number, start = 40): number => {
  const base = { version: 1, endpoint: 'http://collector.example', files: [], settings: {}, rejectsBytes: 0 } as const;
  const from = { ...base, file, last: { line: 5, start, fingerprint: '' }, delivered: 4, rejected: 0 };
  return new ImportProgress({ inputs, from, clock: { now: () => 0 } }).skippedBytes;
};

test('an import that goes on skips the files before, and of a file that is no text of lines nothing', () => {
  expect(resumedAt([input, input], 1)).toBe(140);
  expect(resumedAt([input, { ...input, format: 'csv' }], 1)).toBe(100);
  expect(resumedAt([input, { ...input, isGzip: true }], 1)).toBe(100);
  expect(resumedAt([{ ...input, size: undefined }, input], 1)).toBe(40);
});
