import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newFolder } from '../../cli/files.js';
import { openLmdbStore } from './open.js';

test('a folder that cannot be opened causes an error that names it', async () => {
  const folder = await newFolder();
  writeFileSync(join(folder, 'file'), '');
  mkdirSync(join(folder, 'data.mdb'));
  for (const path of [join(folder, 'file'), join(folder, 'file', 'below'), folder, '/proc/self']) {
    const error = await openLmdbStore({ path, lock: 'alone' }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'EVENTFERRY_STORE_UNOPENED', path });
    expect(String(error)).toContain(path);
  }
});

test('a folder that a store creates, and its files, are accessible only to the user of the process', async () => {
  const path = join(await newFolder(), 'data');
  await (await openLmdbStore({ path, lock: 'alone' })).close();
  const modeOf = (name: string): string => (statSync(join(path, name)).mode & 0o777).toString(8);
  expect(['', 'data.mdb', 'lock.mdb'].map(modeOf)).toEqual(['700', '600', '600']);
});
