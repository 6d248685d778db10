import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EndedFile } from '../../../src/client/journal/ended-file.js';
import { SequenceSet } from '../../../src/client/journal/sequence-set.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

function fileWith(...sets: SequenceSet[]): string {
  const path = join(temporaryFolder(), 'ended');
  const file = EndedFile.open(path);
  for (const set of sets) file.write(set);
  file.close();
  return path;
}

const upTo = (low: number): SequenceSet => new SequenceSet(low, [[low + 2, low + 4]]);

test('the last set written to a file of ended messages is read back', () => {
  expect(EndedFile.read(fileWith(upTo(1), upTo(2), upTo(3)))).toEqual(upTo(3));
});

test('a file of ended messages that does not exist, or is empty, says that none has', () => {
  const path = join(temporaryFolder(), 'ended');
  expect(EndedFile.read(path)).toEqual(new SequenceSet());
  writeFileSync(path, '');
  expect(EndedFile.read(path)).toEqual(new SequenceSet());
});

test('a write to a file of ended messages that is damaged leaves the one before it', () => {
  const path = fileWith(upTo(1), upTo(2), upTo(3));
  const bytes = readFileSync(path);
  // The third write went where the first had been.
  bytes[512 + 16] = (bytes[512 + 16] ?? 0) ^ 1;
  writeFileSync(path, bytes);
  expect(EndedFile.read(path)).toEqual(upTo(2));
});

test('a file of ended messages that is opened again is written on', () => {
  const path = fileWith(upTo(1), upTo(2), upTo(3));
  const again = EndedFile.open(path);
  again.write(upTo(9));
  again.close();
  expect(EndedFile.read(path)).toEqual(upTo(9));
});

test('of more ranges than a file of ended messages has room for, the first are kept', () => {
  const ranges = Array.from({ length: 100 }, (_, index) => [index * 3 + 10, index * 3 + 11] as const);
  const { low, ranges: kept } = EndedFile.read(fileWith(new SequenceSet(5, ranges)));
  expect(low).toBe(5);
  expect(kept).toEqual(ranges.slice(0, 30));
});
