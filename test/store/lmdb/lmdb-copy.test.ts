import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { copyLmdbFolder } from '../../../src/store/lmdb/lmdb-copy.js';
import { lmdbStorage } from '../../../src/store/lmdb/lmdb-storage.js';
import { newFolder } from '../../cli/files.js';

async function newTarget(): Promise<string> {
  const folder = join(await newFolder(), 'copy');
  await mkdir(folder);
  return folder;
}

test('the copy of an open store has the contents written before it and the same file mode, and can be opened', async () => {
  const path = await newFolder();
  const storage = await lmdbStorage({ path });
  onTestFinished(() => storage.close());
  await storage.keyValues.write([{ key: 'a/1', value: 'before' }]);
  await chmod(join(path, 'data.mdb'), 0o640);
  const folder = await newTarget();
  const { bytes } = await copyLmdbFolder(path, folder);
  await storage.keyValues.write([{ key: 'a/1', value: 'after' }]);
  const { size, mode } = await stat(join(folder, 'data.mdb'));
  expect([size, mode & 0o777]).toEqual([bytes, 0o640]);
  const copy = await lmdbStorage({ path: folder });
  onTestFinished(() => copy.close());
  expect([...(await copy.keyValues.get(['a/1'])).values()]).toEqual(['before']);
});

test('a damaged store is not copied', async () => {
  const path = await newFolder();
  await writeFile(join(path, 'data.mdb'), Buffer.alloc(16_384, 1));
  const folder = await newTarget();
  await expect(copyLmdbFolder(path, folder)).rejects.toMatchObject({ code: 'EVENTFERRY_STORE_DAMAGED' });
  expect(await readdir(folder)).toEqual([]);
});
