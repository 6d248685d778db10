import * as fs from 'node:fs';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FileReader } from '../../../src/client/journal/file-system.js';
import { LeftBatches } from '../../../src/client/journal/left-batches.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { endIn, writeBatch } from './left-folder.js';

async function numbersIn(folder: LeftBatches): Promise<number[]> {
  const found: number[] = [];
  for (const file of folder.files) for (const { json } of await file.read(new FileReader(fs))) found.push(Number(json));
  return found;
}

/** Marks messages as ended, as the client that took them over does. */
const end = (folder: LeftBatches, ...numbers: number[]): Promise<void> =>
  endIn(folder, ({ json }) => numbers.includes(Number(json)));

/** Makes a folder in which a client has left these messages. */
function leave(...numbers: number[]): string {
  const path = join(temporaryFolder(), 'owner');
  mkdirSync(path);
  writeBatch(path, numbers);
  return path;
}

test('a recovered folder counts the messages that are left in it, and their bytes', async () => {
  const folder = await LeftBatches.open(fs, leave(10, 11, 12));
  expect([folder.pending, folder.bytes]).toEqual([3, 6]);
  expect(await numbersIn(folder)).toEqual([10, 11, 12]);
});

test('messages of a recovered folder that have ended are not read again by the next process', async () => {
  const path = leave(10, 11, 12, 13);
  const first = await LeftBatches.open(fs, path);
  await end(first, 10, 12);
  expect(first.pending).toBe(2);
  first.write();
  const second = await LeftBatches.open(fs, path);
  expect([second.pending, second.bytes]).toEqual([2, 4]);
  expect(await numbersIn(second)).toEqual([11, 13]);
});

test('ended messages of a recovered folder are read again by the next process if their end was not written', async () => {
  const path = leave(10, 11);
  const first = await LeftBatches.open(fs, path);
  await end(first, 10);
  const second = await LeftBatches.open(fs, path);
  expect(second.pending).toBe(2);
});

test('a recovered folder with a file without messages is removed too, whenever its messages end', async () => {
  const path = leave(10, 11);
  writeFileSync(join(path, '000009.batch'), '');
  const folder = await LeftBatches.open(fs, path);
  for (const number of [10, 11]) {
    await end(folder, number);
    folder.write();
  }
  expect(existsSync(path)).toBe(false);
});

test('a recovered folder is removed by the write after all of its messages have ended', async () => {
  const path = leave(10, 11);
  const folder = await LeftBatches.open(fs, path);
  await end(folder, 10, 11);
  expect(existsSync(path)).toBe(true);
  folder.write();
  expect(existsSync(path)).toBe(false);
});

test('a folder to which a client still writes can be read without changing it', async () => {
  const path = leave(10, 11);
  const found: string[] = [];
  for await (const { json } of LeftBatches.peek(fs, path)) found.push(String(json));
  expect(found).toEqual(['10', '11']);
  expect(fs.readdirSync(path)).toEqual(['000001.batch']);
});

test('a batch is removed once all of its messages have ended, and the other batches stay', async () => {
  const path = leave(10, 11);
  writeBatch(path, [12], 2);
  writeBatch(path, [13], 3);
  const folder = await LeftBatches.open(fs, path);
  await end(folder, 12);
  folder.write();
  expect(fs.readdirSync(path)).toEqual(['000001.batch', '000003.batch']);
  const next = await LeftBatches.open(fs, path);
  expect([next.pending, await numbersIn(next)]).toEqual([3, [10, 11, 13]]);
});

test('a note overwrites an incomplete record that a kill has left at the end of the file', async () => {
  const path = leave(10, 11, 12);
  const file = join(path, '000001.batch');
  fs.truncateSync(file, fs.statSync(file).size - 1);
  const first = await LeftBatches.open(fs, path);
  expect(await numbersIn(first)).toEqual([10, 11]);
  await end(first, 10);
  first.write();
  const second = await LeftBatches.open(fs, path);
  expect([second.pending, second.hasDamagedNote, await numbersIn(second)]).toEqual([1, false, [11]]);
});

test.each([
  [true, 'erases damaged messages', ['11', '99'], '13'],
  [false, 'keeps damaged messages', ['11'], '13'],
])('an erasure with erasesDamage %s keeps other messages and %s', async (erasesDamage, _, expected, kept) => {
  const path = leave(10, 11, 12, 13);
  const file = join(path, '000001.batch');
  const bytes = fs.readFileSync(file);
  bytes.write('99', bytes.indexOf('12'));
  writeFileSync(file, bytes);
  const folder = await LeftBatches.open(fs, path);
  await end(folder, 10);
  const erased: string[] = [];
  const goes = (json: Buffer | undefined): boolean => (json === undefined ? erasesDamage : String(json) === '11');
  for await (const [, messages] of folder.erase(goes))
    erased.push(...messages.map(({ bytes: found }) => String(found)));
  expect(erased).toEqual(expected);
  const after = fs.readFileSync(file, 'latin1');
  for (const gone of ['10', '11']) expect(after).not.toContain(gone);
  expect(after.includes('99')).toBe(!erasesDamage);
  expect(after).toContain(kept);
  const next = await LeftBatches.open(fs, path);
  expect(next.pending).toBe(erasesDamage ? 1 : 2);
});

test('a note that is written while its file is read again is not overwritten by the next one', async () => {
  const path = leave(10, 11, 12);
  const left = await LeftBatches.open(fs, path);
  const [file] = left.files;
  file?.noteEnded(0);
  const reader = new FileReader(fs);
  const read = reader.read.bind(reader);
  reader.read = async (name) => {
    const bytes = await read(name);
    left.write();
    return bytes;
  };
  await file?.read(reader);
  file?.noteEnded(1);
  left.write();
  expect(await numbersIn(await LeftBatches.open(fs, path))).toEqual([12]);
});
