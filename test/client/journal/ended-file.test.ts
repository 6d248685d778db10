import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Ended, EndedFile } from '../../../src/client/journal/ended-file.js';
import { SequenceSet } from '../../../src/client/journal/sequence-set.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

function folderWith(...notes: Ended[]): string {
  const folder = temporaryFolder();
  const file = new EndedFile(fs, folder);
  for (const note of notes) file.write(note);
  file.close();
  return folder;
}

const upTo = (low: number): Ended => ({ sequences: new SequenceSet(low, [[low + 2, low + 4]]), reached: low + 9 });

/** Changes a byte of a note. */
function damage(path: string): void {
  const bytes = fs.readFileSync(path);
  bytes[16] = (bytes[16] ?? 0) ^ 1;
  fs.writeFileSync(path, bytes);
}

test('the last note of what has ended is read back', () => {
  expect(EndedFile.read(fs, folderWith(upTo(1), upTo(2), upTo(3)))).toEqual(upTo(3));
});

test('a folder without a note of what has ended, or with an empty one, has none', () => {
  const folder = temporaryFolder();
  expect(EndedFile.read(fs, folder)).toBeUndefined();
  fs.writeFileSync(join(folder, 'ended-0'), '');
  expect(EndedFile.read(fs, folder)).toBeUndefined();
});

test('a note of what has ended that is damaged leaves the one before it', () => {
  const folder = folderWith(upTo(1), upTo(2), upTo(3));
  // The third went where the first had been.
  damage(join(folder, 'ended-1'));
  expect(EndedFile.read(fs, folder)).toEqual(upTo(2));
});

test('notes of what has ended are written on when they are opened again', () => {
  const folder = folderWith(upTo(1), upTo(2), upTo(3));
  const again = new EndedFile(fs, folder);
  again.write(upTo(9));
  again.close();
  expect(EndedFile.read(fs, folder)).toEqual(upTo(9));
});

test('a note of what has ended that cannot be written leaves the one before it, however often', () => {
  const folder = temporaryFolder();
  const full = Object.assign(new Error('no room'), { code: 'ENOSPC' });
  let isFull = false;
  const disk: typeof fs = {
    ...fs,
    writeSync: ((handle: number, bytes: Buffer, from: number, length: number, at: number) => {
      if (!isFull) return fs.writeSync(handle, bytes, from, length, at);
      fs.writeSync(handle, bytes, from, 20, at);
      throw full;
    }) as typeof fs.writeSync,
  };
  const file = new EndedFile(disk, folder);
  file.write(upTo(1));
  isFull = true;
  for (const low of [2, 3]) expect(() => file.write(upTo(low))).toThrow(full);
  expect(EndedFile.read(fs, folder)).toEqual(upTo(1));
  isFull = false;
  file.write(upTo(4));
  expect(EndedFile.read(fs, folder)).toEqual(upTo(4));
  file.close();
});

test('a note of what has ended has as many ranges as there are', () => {
  const ranges = Array.from({ length: 100_000 }, (_, index) => [index * 3 + 10, index * 3 + 11] as const);
  const note = { sequences: new SequenceSet(5, ranges), reached: 7 };
  expect(EndedFile.read(fs, folderWith(note, upTo(1), note))).toEqual(note);
});
