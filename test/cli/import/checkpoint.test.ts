import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  type Checkpoint,
  lockCheckpoint,
  readCheckpoint,
  writeCheckpoint,
} from '../../../src/cli/import/checkpoint.js';
import { newFile, newFolder } from '../files.js';

const checkpoint: Checkpoint = {
  version: 2,
  settings: { '--format': 'ndjson' },
  file: 0,
  last: { line: 2, start: 10, fingerprint: 'f' },
  bytes: 20,
  delivered: 1,
  rejected: 1,
  rejectsBytes: 20,
};

test('a checkpoint is read as it was written, and a later one replaces it', async () => {
  const folder = await newFolder();
  const path = join(folder, 'a.checkpoint');
  await writeCheckpoint(path, checkpoint);
  await writeCheckpoint(path, { ...checkpoint, delivered: 2 });
  expect(await readCheckpoint(path)).toEqual({ ...checkpoint, delivered: 2 });
  expect(await readdir(folder)).toEqual(['a.checkpoint']);
});

test('a missing file means that there is no checkpoint', async () => {
  expect(await readCheckpoint(join(await newFolder(), 'none'))).toBeUndefined();
});

test.each([
  ['{', 'is not a checkpoint of an import; give another --checkpoint'],
  [JSON.stringify({ ...checkpoint, delivered: -1 }), 'is not a checkpoint of an import'],
  [JSON.stringify({ ...checkpoint, settings: undefined }), 'is not a checkpoint of an import'],
  ['{"version":1}', 'is not a checkpoint of an import'],
])('a file that holds %.40s is refused as a checkpoint', async (content, message) => {
  const path = join(await newFolder(), 'a.checkpoint');
  await writeFile(path, content);
  await expect(readCheckpoint(path)).rejects.toThrow(`${path} ${message}`);
});

test('a locked checkpoint is refused to another import until it is released, and leaves nothing behind', async () => {
  const folder = await newFolder();
  const checkpoint = join(folder, 'a.checkpoint');
  const unlock = await lockCheckpoint(checkpoint);
  await expect(lockCheckpoint(checkpoint)).rejects.toThrow(
    new RegExp(`process ${process.pid} .*imports with ${checkpoint}; wait for it`),
  );
  await unlock();
  await (await lockCheckpoint(checkpoint))();
  expect(await readdir(folder)).toEqual([]);
});

test('a checkpoint in a folder that cannot be written is refused', async () => {
  const file = await newFile('a', '');
  await expect(lockCheckpoint(join(file, 'b'))).rejects.toThrow(
    /^cannot write the checkpoint: .*; give --checkpoint FILE/,
  );
});
