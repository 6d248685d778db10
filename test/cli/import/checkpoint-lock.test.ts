import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lockCheckpoint } from '../../../src/cli/import/checkpoint-lock.js';
import { newFile, newFolder } from '../files.js';

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
