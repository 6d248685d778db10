import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLmdbStore } from '../../../src/store/lmdb/lmdb-store.js';
import { newFolder } from '../../cli/files.js';

test('a folder that cannot be opened is an error that names it', async () => {
  const folder = await newFolder();
  writeFileSync(join(folder, 'file'), '');
  mkdirSync(join(folder, 'data.mdb'));
  for (const path of [join(folder, 'file'), join(folder, 'file', 'below'), folder, '/proc/self']) {
    const error = await openLmdbStore({ path, lock: 'alone' }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'EVENTFERRY_STORE_UNOPENED', path });
    expect(String(error)).toContain(path);
  }
});
