import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { open } from 'lmdb';
import { expect, test } from 'vitest';
import { lmdbStorage } from '../../../src/store/lmdb/lmdb-storage.js';
import { newFolder } from '../../cli/files.js';
import { openLmdbStore } from './open.js';

/** Creates a folder with tables that something else has written, by name, with their keys and values. */
async function folderWith(tables: Readonly<Record<string, Readonly<Record<string, unknown>>>>): Promise<string> {
  const path = await newFolder();
  const db = open({ path, noSubdir: false, maxDbs: 32 });
  for (const [name, entries] of Object.entries(tables)) {
    const table = db.openDB({ name, encoding: 'json' });
    for (const [key, value] of Object.entries(entries)) await table.put(key, value as string);
  }
  await db.close();
  return path;
}

const DATA = { 'service/events': { m1: 'an event' } };

test.each<[string, Parameters<typeof folderWith>[0], string]>([
  ['of a later format', { ...DATA, 'service/about': { format: 3 } }, 'is of format 3, and this version reads 2'],
  ['of a lower format', { ...DATA, 'service/about': { format: 1 } }, 'is of format 1, and this version reads 2'],
  ['without a number', { ...DATA, 'service/about': { checkedAt: 7 } }, 'says no format, and this version reads 2'],
  ['without a table for the number', DATA, 'says no format, and this version reads 2'],
  ['of another program', { theirs: { a: 1 } }, 'says no format, and this version reads 2'],
  ['of another format and nothing else', { 'service/about': { format: 1 } }, 'is of format 1'],
])('a folder %s is refused with advice, and no byte of it is changed', async (_, tables, text) => {
  const path = await folderWith(tables);
  const before = await readFile(join(path, 'data.mdb'));
  for (const open of [() => lmdbStorage({ path }), () => openLmdbStore({ path, lock: 'none' })]) {
    const opened = open();
    await expect(opened).rejects.toMatchObject({
      code: 'EVENTFERRY_STORE_FORMAT',
      message: expect.stringContaining(text),
    });
    await expect(opened).rejects.toThrow('then start with an empty store: another folder');
  }
  expect((await readFile(join(path, 'data.mdb'))).equals(before)).toBe(true);
});

test('a folder contains its format before anything else, and can be reopened empty or with values', async () => {
  const path = await newFolder();
  await (await lmdbStorage({ path })).close();
  const storage = await lmdbStorage({ path });
  await storage.keyValues.write([{ key: 'a', value: '1' }]);
  await storage.close();
  await (await lmdbStorage({ path })).close();
  const db = open({ path, noSubdir: false, maxDbs: 32 });
  expect(db.openDB<number, string>({ name: 'service/about', encoding: 'json' }).get('format')).toBe(2);
  await db.close();
});
