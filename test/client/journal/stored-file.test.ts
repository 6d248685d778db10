import * as fs from 'node:fs';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FileReader } from '../../../src/client/journal/file-system.js';
import { LeftBatches, LeftFile } from '../../../src/client/journal/left-batches.js';
import type { StoredFile } from '../../../src/client/journal/stored-file.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { faultyDisk, refusal } from './faulty-disk.js';
import { writeBatch } from './left-folder.js';

/** Makes a file with messages, and functions that read those that wait, as its client and as the next one. */
async function stored(...messages: number[]) {
  const folder = join(temporaryFolder(), 'owner');
  const path = writeBatch(folder, messages);
  const left = await LeftBatches.open(fs, folder);
  const waitingIn = async (of: LeftFile) => (await of.read(new FileReader(fs))).map(({ json }) => Number(json));
  const file = new LeftFile(fs, path, left);
  const stored: StoredFile = file;
  return { file: stored, path, waiting: () => waitingIn(file), left: () => waitingIn(new LeftFile(fs, path, left)) };
}

test('a message that has ended is not read again by the same client; the next client reads it until its end is noted', async () => {
  const { file, waiting, left } = await stored(10, 11, 12);
  file.noteEnded(1);
  expect(file.hasNews).toBe(true);
  expect([await waiting(), await left()]).toEqual([
    [10, 12],
    [10, 11, 12],
  ]);
});

test('an erasure overwrites chosen and ended messages, which then need no note', async () => {
  const { file, path, left } = await stored(10, 11, 12);
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
  const { file, path, waiting } = await stored(10);
  fs.rmSync(path);
  file.noteEnded(0);
  expect(await waiting()).toEqual([]);
  expect(file.erase(() => true)).toEqual([]);
  expect(() => file.writeNote()).not.toThrow();
});

test('messages whose erasure fails have not ended', async () => {
  const folder = join(temporaryFolder(), 'owner');
  writeBatch(folder, [10, 11]);
  const state = { isFailing: false };
  const disk = faultyDisk((name) => (name === 'writeSync' && state.isFailing ? refusal('EIO') : undefined));
  const left = await LeftBatches.open(disk, folder);
  const [file] = left.files;
  state.isFailing = true;
  expect(() => file?.erase(() => true)).toThrow('EIO');
  expect(left.pending).toBe(2);
});

test('bytes that damaged messages share stay until all of these have ended', async () => {
  const { file, path, waiting, left } = await stored(10, 11, 12, 13);
  await waiting();
  file.noteEnded(1);
  file.writeNote();
  // Each record has 22 bytes. This damages the heads of the second and the third.
  fs.writeFileSync(path, readFileSync(path).fill(0, 25, 50));
  expect(file.erase((json) => String(json) === '13')).toHaveLength(1);
  expect(await left()).toEqual([10, Number.NaN]);
});
