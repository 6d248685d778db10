import { expect, test } from 'vitest';
import { ImportProgress } from '../../../src/cli/import/import-progress.js';

/** Returns the progress of an import that has read this number of rows. */
function progressAfter(rows: number, text = (line: number) => `row ${line}`): ImportProgress {
  const progress = new ImportProgress();
  for (let line = 1; line <= rows; line++) {
    const row = { line, start: 0, text: text(line), value: {}, problem: undefined };
    progress.add({ file: 0, name: 'a', row, bytes: line });
  }
  return progress;
}

test('the progress of an import counts rows as they end, and returns each rejected row once', () => {
  const progress = progressAfter(3);
  expect(progress.takeRejects()).toEqual([]);
  progress.end(undefined);
  progress.end('why');
  expect(progress).toMatchObject({ delivered: 1, rejected: 1, read: 3, last: { row: { line: 2 } } });
  expect(progress.takeRejects()).toEqual([{ file: 'a', line: 2, reason: 'why', row: 'row 2' }]);
  expect(progress.takeRejects()).toEqual([]);
});

test('the progress of an import that is full of large rows stays full until the rejected rows are taken', () => {
  const progress = progressAfter(2, () => 'x'.repeat(17 * 1024 * 1024));
  expect(progress.isFull).toBe(true);
  progress.end('why');
  expect(progress.isFull).toBe(true);
  progress.takeRejects();
  expect(progress.isFull).toBe(false);
});

test('the progress of an import has room again after a large row is delivered', () => {
  const progress = progressAfter(2, () => 'x'.repeat(17 * 1024 * 1024));
  expect(progress.isFull).toBe(true);
  progress.end(undefined);
  expect(progress.isFull).toBe(false);
});
