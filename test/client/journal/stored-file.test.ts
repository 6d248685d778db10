import * as fs from 'node:fs';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FileReader } from '../../../src/client/journal/file-system.js';
import { StoredFile } from '../../../src/client/journal/stored-file.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { writeBatch } from './left-folder.js';

/** Makes a file with messages, and functions that read those that wait, as its client and as the next one. */
function stored(...messages: number[]) {
  const path = writeBatch(join(temporaryFolder(), 'owner'), messages);
  const file = new StoredFile(fs, path);
  const waitingIn = async (of: StoredFile) => (await of.read(new FileReader(fs))).map(({ json }) => Number(json));
  return { file, path, waiting: () => waitingIn(file), left: () => waitingIn(new StoredFile(fs, path)) };
}

test('a message that has ended is not read again by the same client, and by the next one until it is noted', async () => {
  const { file, waiting, left } = stored(10, 11, 12);
  expect([file.noteEnded(1), file.noteEnded(1), file.hasNews]).toEqual([true, false, true]);
  expect([await waiting(), await left()]).toEqual([
    [10, 12],
    [10, 11, 12],
  ]);
});

test('an erasure overwrites chosen and ended messages, which then need no note', async () => {
  const { file, path, left } = stored(10, 11, 12);
  file.noteEnded(0);
  const { length } = readFileSync(path);
  expect(file.erase((json) => String(json) === '11').map(({ json }) => String(json))).toEqual(['11']);
  const after = readFileSync(path);
  expect([after.length, after.includes('10'), after.includes('11'), file.hasNews]).toEqual([
    length,
    false,
    false,
    false,
  ]);
  expect(await left()).toEqual([12]);
});

test('a file that was removed has no messages, and needs neither an erasure nor a note', async () => {
  const { file, path, waiting } = stored(10);
  fs.rmSync(path);
  file.noteEnded(0);
  expect(await waiting()).toEqual([]);
  expect(file.erase(() => true)).toEqual([]);
  expect(() => file.writeNote()).not.toThrow();
});
