import { type FileHandle, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { RejectsFile } from '../../../src/cli/import/rejects-file.js';
import { newFile, newFolder } from '../files.js';

const reject = { file: 'a', line: 1, reason: 'why', row: 'ü' };

test('rows after the checkpoint are removed from the file of rejected rows', async () => {
  const path = await newFile('rejects', 'kept\ndropped\n');
  const rejects = await RejectsFile.open(path, 5);
  await rejects.append([{ file: 'a', line: 2, reason: 'why', row: '' }]);
  await rejects.close();
  expect(await readFile(path, 'utf8')).toBe('kept\n{"file":"a","line":2,"reason":"why","row":""}\n');
  expect(rejects.bytes).toBe((await readFile(path)).length);
});

test('the file of rejected rows is written completely on a disk that accepts only a few bytes per call', async () => {
  const path = join(await newFolder(), 'rejects');
  const rejects = await RejectsFile.open(path, 0);
  const handle = await open(path);
  const prototype: FileHandle = Object.getPrototypeOf(handle);
  await handle.close();
  const { write } = prototype;
  const threeBytes = function (this: FileHandle, bytes: Uint8Array, from: number, _: null, at: number) {
    return Reflect.apply(write, this, [bytes, from, 3, at]);
  };
  const few = vi.spyOn(prototype, 'write').mockImplementation(threeBytes as never);
  onTestFinished(() => few.mockRestore());
  await rejects.append([reject]);
  await rejects.close();
  const bytes = await readFile(path);
  expect(JSON.parse(String(bytes))).toEqual(reject);
  expect(rejects.bytes).toBe(bytes.length);
});

test('a file of rejected rows that cannot be written is refused in one line', async () => {
  await expect(RejectsFile.open(await newFolder(), 0)).rejects.toThrow(/^--rejects: EISDIR/);
});
