import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newEvent } from '../../../src/delivery/completion-rule.js';
import { compactLmdbFolder, copyLmdbFolder } from '../../../src/store/lmdb/lmdb-copy.js';
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

const FILE = 'data.mdb';

async function filled(users: number): Promise<string> {
  const path = await newFolder();
  const storage = await lmdbStorage({ path });
  for (let n = 0; n < users; n++) {
    const body = Buffer.from(JSON.stringify({ userId: `u${n}`, secret: `private-${n}-`.repeat(300) }));
    await (await storage.deliveries('crm')).add(newEvent(`m${n}`, 'track', ['a'], 1), body);
  }
  await storage.close();
  return path;
}

test('a compacted store has the same contents in a smaller file that only its owner can read', async () => {
  const path = await filled(200);
  const storage = await lmdbStorage({ path });
  const store = await storage.deliveries('crm');
  for (let n = 1; n < 200; n++) await store.update(`m${n}`, () => undefined);
  await storage.close();
  const { bytesBefore, bytesAfter } = await compactLmdbFolder(path);
  expect(bytesAfter).toBeLessThan(bytesBefore / 2);
  const { size, mode } = await stat(join(path, FILE));
  expect([size, mode & 0o777]).toEqual([bytesAfter, 0o600]);
  const again = await lmdbStorage({ path });
  onTestFinished(() => again.close());
  const kept = await again.deliveries('crm');
  expect(await kept.event('m0')).toMatchObject({ id: 'm0' });
  expect(String(await kept.body('m0'))).toContain('private-0-');
  expect(await kept.event('m1')).toBeUndefined();
});

test('a store that is open is not compacted', async () => {
  const path = await filled(1);
  const storage = await lmdbStorage({ path });
  onTestFinished(() => storage.close());
  await expect(compactLmdbFolder(path)).rejects.toMatchObject({ code: 'EVENTFERRY_STORE_IN_USE' });
});

test('a damaged store is not compacted, and its file is unchanged', async () => {
  const path = await newFolder();
  const damaged = Buffer.alloc(16_384, 1);
  await writeFile(join(path, FILE), damaged);
  await expect(compactLmdbFolder(path)).rejects.toMatchObject({ code: 'EVENTFERRY_STORE_DAMAGED' });
  expect(await readFile(join(path, FILE))).toEqual(damaged);
});

test('files that a killed run has left are removed', async () => {
  const path = await filled(1);
  await mkdir(join(path, 'compacting'));
  await writeFile(join(path, 'compacting', FILE), 'half of a file');
  await compactLmdbFolder(path);
  expect(await readdir(path)).not.toContain('compacting');
});
