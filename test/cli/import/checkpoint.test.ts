import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Checkpoint, readCheckpoint, writeCheckpoint } from '../../../src/cli/import/checkpoint.js';
import { newFile, newFolder } from '../files.js';

const checkpoint: Checkpoint = {
  options: 'o',
  writeKey: 'k',
  last: { file: 0, line: 2, digest: 'd' },
  rejectsBytes: 20,
};

test('a checkpoint is read as it was written, and a later one replaces it', async () => {
  const folder = await newFolder();
  const path = join(folder, 'a.checkpoint');
  await writeCheckpoint(path, checkpoint);
  await writeCheckpoint(path, { ...checkpoint, rejectsBytes: 30 });
  expect(await readCheckpoint(path)).toEqual({ ...checkpoint, rejectsBytes: 30 });
  expect(await readdir(folder)).toEqual(['a.checkpoint']);
});

test('a missing file means that there is no checkpoint', async () => {
  expect(await readCheckpoint(join(await newFolder(), 'none'))).toBeUndefined();
});

test.each([
  ['{', 'is not a checkpoint of an import; give another --checkpoint'],
  [JSON.stringify({ ...checkpoint, rejectsBytes: -1 }), 'is not a checkpoint of an import'],
  [JSON.stringify({ ...checkpoint, options: undefined }), 'is not a checkpoint of an import'],
  ['{"version":2}', 'is not a checkpoint of an import'],
])('a file that holds %.40s is refused as a checkpoint', async (content, message) => {
  const path = join(await newFolder(), 'a.checkpoint');
  await writeFile(path, content);
  await expect(readCheckpoint(path)).rejects.toThrow(`${path} ${message}`);
});

test('a checkpoint in which one byte has changed is refused', async () => {
  const path = join(await newFolder(), 'a.checkpoint');
  await writeCheckpoint(path, checkpoint);
  const written = await readFile(path);
  for (const [place, byte] of written.entries()) {
    const damaged = Buffer.from(written);
    damaged[place] = byte ^ 1;
    await writeFile(path, damaged);
    // Blanks between the fields mean nothing.
    if (/\s/.test(String.fromCharCode(byte))) continue;
    await expect(readCheckpoint(path), String(damaged)).rejects.toThrow('is not a checkpoint of an import');
  }
});

test('a checkpoint in a folder that cannot be written is refused', async () => {
  const file = await newFile('a', '');
  await expect(writeCheckpoint(join(file, 'b'), checkpoint)).rejects.toThrow(
    /^cannot write the checkpoint: .*; give --checkpoint FILE/,
  );
});
