import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStorage } from '../../src/service/open-storage.js';
import { silentLog } from '../../src/service/service-log.js';
import { newFolder } from '../cli/files.js';
import { freePort } from '../support/free-port.js';

test('a configuration of lmdb opens a storage in its folder that keeps its values', async () => {
  const path = join(await newFolder(), 'data');
  const change = { key: 'a/1', value: 'kept' };
  const before = await openStorage({ type: 'lmdb', path }, silentLog);
  await before.keyValues.write([change]);
  await before.close();
  expect(existsSync(join(path, 'data.mdb'))).toBe(true);
  const after = await openStorage({ type: 'lmdb', path }, silentLog);
  expect(await after.keyValues.get([change.key])).toEqual([change.value]);
  await after.close();
});

test('opening Redis without a server fails with the address that was tried', async () => {
  const port = await freePort();
  const opening = openStorage({ type: 'redis', url: `redis://127.0.0.1:${port}`, prefix: 'test' }, silentLog);
  await expect(opening).rejects.toMatchObject({ code: 'EVENTFERRY_STORE_REDIS_FAILED' });
  await expect(opening).rejects.toThrow(String(port));
});
