import { expect, onTestFinished, test } from 'vitest';
import { newEvent } from '../../../src/delivery/completion-rule.js';
import { openLmdbFolder } from '../../../src/store/lmdb/lmdb-folder.js';
import { lmdbStorage } from '../../../src/store/lmdb/lmdb-storage.js';
import { newFolder } from '../../cli/files.js';
import { openLmdbStore } from './open.js';

const event = newEvent('m1', 'track', ['a'], 1);
const body = Buffer.from('{}');

async function look(path: string) {
  const folder = await openLmdbFolder({ path, lock: 'none' });
  onTestFinished(() => folder.close());
  return folder;
}

test('the folder of an lmdbStore has one destination without a name', async () => {
  const path = await newFolder();
  const store = await openLmdbStore({ path, lock: 'alone' });
  await store.add(event, body);
  await store.close();
  const { destinations, isInUse } = await look(path);
  const [found, ...others] = destinations;
  expect([found?.name, isInUse, others]).toEqual([undefined, false, []]);
  expect(await found?.store.event('m1')).toEqual(event);
});

test('the folder of a service contains its destinations, and can be read but not changed while that runs', async () => {
  const path = await newFolder();
  const storage = await lmdbStorage({ path });
  onTestFinished(() => storage.close());
  await (await storage.deliveries('crm')).add(event, body);
  await storage.deliveries('mail');
  const { destinations: found, isInUse } = await look(path);
  expect([found.map(({ name }) => name), isInUse]).toEqual([['crm', 'mail'], true]);
  expect(await found[0]?.store.event('m1')).toEqual(event);
  expect(await found[1]?.store.event('m1')).toBeUndefined();
  await expect(openLmdbFolder({ path, lock: 'alone' })).rejects.toMatchObject({ code: 'EVENTFERRY_STORE_IN_USE' });
});
