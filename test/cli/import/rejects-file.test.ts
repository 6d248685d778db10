import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { RejectsFile } from '../../../src/cli/import/rejects-file.js';
import { newFile, newFolder } from '../files.js';

test('rows after the checkpoint are removed from the file of rejected rows', async () => {
  const path = await newFile('rejects', 'kept\ndropped\n');
  const rejects = await RejectsFile.open(path, 5);
  await rejects.append([{ file: 'a', line: 2, reason: 'why', row: 'ü' }]);
  await rejects.close();
  expect(await readFile(path, 'utf8')).toBe('kept\n{"file":"a","line":2,"reason":"why","row":"ü"}\n');
  expect(rejects.bytes).toBe((await readFile(path)).length);
});

test('a file of rejected rows that cannot be written is refused in one line', async () => {
  await expect(RejectsFile.open(await newFolder(), 0)).rejects.toThrow(/^--rejects: EISDIR/);
});
