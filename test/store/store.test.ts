import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { Destination, lmdbStore, memoryStore } from '../../src/destination/index.js';
import { MemoryStore } from '../../src/store/memory/memory-store.js';
import { eventsIn, seal } from '../../src/store/store.js';
import { newFolder } from '../cli/files.js';

test('a store shows nothing of what is in it', () => {
  const events = new MemoryStore();
  const store = seal(events);
  expect(eventsIn(store)).toBe(events);
  expect(Object.keys(store)).toEqual([]);
  expect(inspect(memoryStore())).toBe('SealedStore {}');
});

test.each([
  ['an object with the methods of a store', new MemoryStore()],
  ['the promise of a store', Promise.resolve(memoryStore())],
  ['null', null],
])('a destination refuses %s as its store', async (_, store) => {
  const opened = Destination.open({ webhooks: [{ url: 'https://a.example/' }], store: store as never });
  await expect(opened).rejects.toMatchObject({
    code: 'EVENTFERRY_DESTINATION_INVALID_OPTION',
    option: 'store',
  });
});

test('a destination that cannot be opened closes its store, whose folder can be opened again', async () => {
  const path = await newFolder();
  const webhooks = [{ url: 'https://a.example/' }];
  const refused = Destination.open({ webhooks, concurrency: 0, store: await lmdbStore({ path }) });
  await expect(refused).rejects.toThrow(/concurrency/);
  const destination = await Destination.open({ webhooks, store: await lmdbStore({ path }) });
  await destination.close();
});
