import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lockCheckpoint } from '../../../src/cli/import/checkpoint-lock.js';
import { newFile, newFolder } from '../files.js';

test('a checkpoint that an import has is refused to another until it is released, and nothing stays', async () => {
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

test('a checkpoint where nothing can be written is refused', async () => {
  const file = await newFile('a', '');
  await expect(lockCheckpoint(join(file, 'b'))).rejects.toThrow(
    /^cannot write the checkpoint: .*; give --checkpoint FILE/,
  );
});
