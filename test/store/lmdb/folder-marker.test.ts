import { copyFile, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MARKER } from '../../../src/store/lmdb/folder-marker.js';
import { LmdbEnvironment } from '../../../src/store/lmdb/lmdb-environment.js';
import { newFolder } from '../../cli/files.js';

const openOnce = async (path: string): Promise<void> => (await LmdbEnvironment.open({ path, lock: 'alone' })).close();

test.each([
  ['missing', (file: string) => rm(file)],
  ['empty', (file: string) => truncate(file)],
])('a used folder is refused if its data file is %s, and no new store is created in it', async (what, spoil) => {
  const path = await newFolder();
  await openOnce(path);
  await openOnce(path);
  await spoil(join(path, 'data.mdb'));
  for (let tries = 0; tries < 2; tries++) {
    await expect(openOnce(path)).rejects.toMatchObject({
      code: 'EVENTFERRY_STORE_DAMAGED',
      message: expect.stringMatching(new RegExp(`data\\.mdb is damaged: it is ${what}, but ${MARKER} beside it says`)),
    });
  }
  await rm(join(path, MARKER));
  await openOnce(path);
});

test('a data file that was copied into a new folder can be opened', async () => {
  const [path, copy] = [await newFolder(), await newFolder()];
  await openOnce(path);
  await copyFile(join(path, 'data.mdb'), join(copy, 'data.mdb'));
  await openOnce(copy);
  await openOnce(copy);
});
