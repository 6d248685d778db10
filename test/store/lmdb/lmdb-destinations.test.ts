import { expect, onTestFinished, test } from 'vitest';
import { newEvent } from '../../../src/delivery/completion-rule.js';
import { DESTINATIONS, LmdbDestinations, openLmdbFolder } from '../../../src/store/lmdb/lmdb-destinations.js';
import { LmdbEnvironment } from '../../../src/store/lmdb/lmdb-environment.js';
import { lmdbStorage } from '../../../src/store/lmdb/lmdb-storage.js';
import { newFolder } from '../../cli/files.js';
import { openLmdbStore } from './open.js';

async function openIn(path: string) {
  const environment = await LmdbEnvironment.open({ path, lock: 'none' });
  onTestFinished(() => environment.close());
  return { environment, destinations: new LmdbDestinations(environment) };
}

test('a destination keeps its number, and no other destination gets it', async () => {
  const path = await newFolder();
  const { destinations } = await openIn(path);
  expect(await Promise.all(['crm', 'mail', 'crm'].map((name) => destinations.register(name)))).toEqual([1, 2, 1]);
  const { destinations: again } = await openIn(path);
  expect(again.names()).toEqual(
    new Map([
      [1, 'crm'],
      [2, 'mail'],
    ]),
  );
  expect([await again.register('mail'), await again.register('ads')]).toEqual([2, 3]);
});

test('the list of names is read once, however many destinations are registered', async () => {
  const environment = await LmdbEnvironment.open({ path: await newFolder(), lock: 'none' });
  onTestFinished(() => environment.close());
  let reads = 0;
  const openDB = (options: { name: string }) => {
    const table = environment.db.openDB(options);
    const read = table.getRange.bind(table);
    table.getRange = (range) => {
      if (options.name === DESTINATIONS) reads++;
      return read(range);
    };
    return table;
  };
  const { commits } = environment;
  const destinations = new LmdbDestinations(
    Object.create(environment, { db: { value: { openDB } }, commits: { value: commits } }),
  );
  await Promise.all(Array.from({ length: 50 }, (_, index) => destinations.register(`customer-${index}`)));
  expect(reads).toBe(1);
});

test('a destination keeps its number despite a failing job, and after its own write failed once', async () => {
  const { environment, destinations } = await openIn(await newFolder());
  const failing = environment.commits.run(() => {
    throw new Error('of another job');
  });
  const registering = [destinations.register('crm'), failing, destinations.register('mail')];
  expect((await Promise.allSettled(registering)).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  const { runDurably } = environment.commits;
  environment.commits.runDurably = () => Promise.reject(new Error('of the disk'));
  await expect(destinations.register('ads')).rejects.toThrow('of the disk');
  environment.commits.runDurably = runDurably;
  expect(await Promise.all(['web', 'ads'].map((name) => destinations.register(name)))).toEqual([4, 3]);
  expect([...destinations.names().values()]).toEqual(['crm', 'mail', 'ads', 'web']);
});

test('events, URLs and webhooks of one destination are not visible to another', async () => {
  const { destinations } = await openIn(await newFolder());
  const [crm, mail] = [destinations.at(1, 'crm'), destinations.at(2, 'mail')];
  await Promise.all([
    crm.add(newEvent('m1', 'track', ['a', 'b'], 1), Buffer.from('crm')),
    mail.add(newEvent('m1', 'track', ['b'], 2), Buffer.from('mail')),
    crm.webhooks.update(() => [{ key: 'a', url: 'a' }]),
  ]);
  expect(String(await crm.body('m1'))).toBe('crm');
  expect(String(await mail.body('m1'))).toBe('mail');
  expect(await crm.waiting('b', 'first', undefined, 9)).toEqual([{ at: 1, id: 'm1' }]);
  expect(await mail.waiting('b', 'first', undefined, 9)).toEqual([{ at: 2, id: 'm1' }]);
  expect(await mail.waiting('a', 'first', undefined, 9)).toEqual([]);
  expect(await mail.webhooks.read()).toBeUndefined();
});

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
