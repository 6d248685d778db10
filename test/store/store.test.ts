import { inspect } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { Destination, lmdbStore, memoryStore } from '../../src/destination/index.js';
import { lmdbStorage } from '../../src/store/lmdb/lmdb-storage.js';
import { MemoryStore } from '../../src/store/memory/memory-store.js';
import { type OpenedStore, SharedStore, type Store, sharedIn } from '../../src/store/store.js';
import { newFolder } from '../cli/files.js';
import { track } from '../destination/track.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';

const webhooks = [{ url: 'https://a.example/' }];

/** Creates a store that counts how often it was opened and closed. */
function countingStore(fails: () => boolean = () => false) {
  const counts = { opened: 0, closed: 0 };
  const shared = new SharedStore(async (): Promise<OpenedStore> => {
    if (fails()) throw new Error('no such disk');
    counts.opened++;
    return { deliveries: async () => new MemoryStore(), close: async () => void counts.closed++ };
  });
  return { shared, counts };
}

test('inspecting a store shows nothing of its contents', () => {
  const { shared } = countingStore();
  expect(sharedIn(shared)).toBe(shared);
  expect(Object.keys(shared)).toEqual([]);
  expect(inspect(memoryStore())).toBe('SharedStore {}');
});

test.each([
  ['an object with the methods of a store', new MemoryStore()],
  ['the promise of a store', Promise.resolve(memoryStore())],
  ['null', null],
])('a destination refuses %s as its store', async (_, store) => {
  const opened = Destination.open({ webhooks, store: store as never });
  await expect(opened).rejects.toMatchObject({
    code: 'EVENTFERRY_DESTINATION_INVALID_OPTION',
    option: 'store',
  });
});

test('a store closes with the last destination that releases it, and can be opened again', async () => {
  const { shared, counts } = countingStore();
  const [crm, ads] = await Promise.all([shared.share('crm'), shared.share('ads')]);
  await crm.release();
  expect(counts).toEqual({ opened: 1, closed: 0 });
  await ads.release();
  expect(counts).toEqual({ opened: 1, closed: 1 });
  await (await shared.share('crm')).release();
  expect(counts).toEqual({ opened: 2, closed: 2 });
});

test('a store that could not be opened for one destination is opened again for the next', async () => {
  let isGone = true;
  const { shared, counts } = countingStore(() => isGone);
  await expect(shared.share('crm')).rejects.toThrow('no such disk');
  isGone = false;
  await (await shared.share('crm')).release();
  expect(counts).toEqual({ opened: 1, closed: 1 });
});

test('a store is opened again only after it has closed', async () => {
  const { shared, counts } = countingStore();
  const first = await shared.share('crm');
  const [, second] = await Promise.all([first.release(), shared.share('ads')]);
  expect(counts).toEqual({ opened: 2, closed: 1 });
  await second.release();
});

const stores: [string, () => Promise<Store>][] = [
  ['memory', async () => memoryStore()],
  ['lmdb', async () => lmdbStore({ path: await newFolder() })],
];

test.each(stores)(
  'destinations that share a store in %s send only events that were accepted under their own name',
  async (_, make) => {
    const store = await make();
    // No delivery succeeds before both stores contain their events.
    const [one, other] = await Promise.all([startEndpoint(503), startEndpoint(503)]);
    const open = (name: string, url: string) =>
      Destination.open({ name, store, webhooks: [{ url }], sharedSecret: `secret of ${name}`, allowLoopback: true });
    const [crm, ads] = await Promise.all([open('crm', one.url), open('ads', other.url)]);
    onTestFinished(async () => void (await Promise.all([crm.close(), ads.close()])));
    for (const id of ['m1', 'm2']) await crm.deliver(track(id));
    await ads.deliver(track('m1'));
    await Promise.all([one.has(2), other.has(1)]);
    expect([one.received.length, other.received.length]).toEqual([2, 1]);
    expect(await ads.explain('m2')).toBeUndefined();
    await crm.close();
    expect(await ads.deliver(track('m3'))).toMatchObject({ status: 'accepted' });
    const again = await open('crm', one.url);
    expect(await again.explain('m1')).toBeDefined();
    await again.close();
  },
);

test.each(stores)(
  'two destinations with the same name in a store in %s are refused, and the first continues',
  async (_, make) => {
    const store = await make();
    const first = await Destination.open({ name: 'crm', store, webhooks });
    await expect(Destination.open({ name: 'crm', store, webhooks })).rejects.toMatchObject({
      code: 'EVENTFERRY_DESTINATION_INVALID_OPTION',
      message: 'Expected `name` to be one that no open destination of the store has, got `crm` a second time',
    });
    expect(await first.explain('m1')).toBeUndefined();
    await first.close();
    await (await Destination.open({ name: 'crm', store, webhooks })).close();
  },
);

test.each(stores)('two destinations without a name in a store in %s are refused', async (_, make) => {
  const store = await make();
  const first = await Destination.open({ store, webhooks });
  await expect(Destination.open({ store, webhooks })).rejects.toThrow(/a second destination without a name/);
  await first.close();
});

test('a destination that cannot be opened closes its store, whose folder can then be opened again', async () => {
  const path = await newFolder();
  const refused = Destination.open({ webhooks, concurrency: 0, store: await lmdbStore({ path }) });
  await expect(refused).rejects.toThrow(/concurrency/);
  const destination = await Destination.open({ webhooks, store: await lmdbStore({ path }) });
  await destination.close();
});

test('a destination that cannot be opened leaves the store to the others, and it closes with them', async () => {
  const path = await newFolder();
  const store = await lmdbStore({ path });
  await expect(Destination.open({ name: 'one', webhooks, concurrency: 0, store })).rejects.toThrow(/concurrency/);
  const destination = await Destination.open({ name: 'two', webhooks, store });
  await expect(Destination.open({ name: 'three', webhooks, concurrency: 0, store })).rejects.toThrow(/concurrency/);
  expect(await destination.explain('m1')).toBeUndefined();
  await destination.close();
  await (await lmdbStorage({ path, lockTimeout: 0 })).close();
});

test.each([[''], ['x'.repeat(201)], ['\ud800'], [7]])('a destination refuses the name %j', async (name) => {
  await expect(Destination.open({ name: name as string, webhooks })).rejects.toThrow(
    'Expected `name` to be a name of 1 to 200 characters',
  );
});
