import { appendFile, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { appendRejects, openRejects } from '../../../src/cli/import/rejects-file.js';
import { newFile, newFolder } from '../files.js';

const reject = { file: 'a', line: 2, reason: 'why', row: 'ü' };

test('rows after the checkpoint are removed from the file of rejected rows', async () => {
  const path = await newFile('rejects', 'kept\ndropped\n');
  await openRejects(path, 5);
  const bytes = await appendRejects(path, 5, [reject]);
  expect(await readFile(path, 'utf8')).toBe('kept\n{"file":"a","line":2,"reason":"why","row":"ü"}\n');
  expect(bytes).toBe((await readFile(path)).length);
});

test('an import stops when another one writes to its file of rejected rows, because a resumed import would cut rows off', async () => {
  const path = await newFile('rejects', '');
  await openRejects(path, 0);
  const bytes = await appendRejects(path, 0, [reject]);
  await appendFile(path, 'x');
  await expect(appendRejects(path, bytes, [reject])).rejects.toThrow(`--rejects: another program writes to ${path}`);
});

test('a file of rejected rows that cannot be written is refused in one line', async () => {
  await expect(openRejects(await newFolder(), 0)).rejects.toThrow(/^--rejects: EISDIR/);
});
