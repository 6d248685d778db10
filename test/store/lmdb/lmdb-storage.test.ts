import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newEvent } from '../../../src/delivery/completion-rule.js';
import { lmdbStorage } from '../../../src/store/lmdb/lmdb-storage.js';
import { newFolder } from '../../cli/files.js';

async function openIn(path: string) {
  const storage = await lmdbStorage({ path });
  onTestFinished(() => storage.close());
  return storage;
}

test('on lmdb each destination has its own deliveries, and always the same ones', async () => {
  const storage = await openIn(await newFolder());
  const [crm, again, mail] = await Promise.all(['crm', 'crm', 'mail'].map((name) => storage.deliveries(name)));
  expect(again).toBe(crm);
  expect(mail).not.toBe(crm);
});

test('a storage on lmdb reports that it can be written, and the size of its file', async () => {
  const path = await newFolder();
  const storage = await openIn(path);
  storage.assertRoom();
  await storage.check();
  expect(await storage.size()).toBe((await stat(join(path, 'data.mdb'))).size);
});

test('a storage can be closed twice', async () => {
  const storage = await openIn(await newFolder());
  const store = await storage.deliveries('crm');
  await store.add(newEvent('m1', 'track', ['a'], 1), Buffer.from('{}'));
  expect(await store.event('m1')).toMatchObject({ id: 'm1' });
  expect(storage.close()).toBe(storage.close());
});
