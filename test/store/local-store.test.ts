import { cp } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { newEvent } from '../../src/delivery/completion-rule.js';
import type { EventStore } from '../../src/store/event-store.js';
import { MemoryStore } from '../../src/store/memory/memory-store.js';
import { newFolder } from '../cli/files.js';
import { describeLanes } from './lanes-conformance.js';
import { openLmdbStore } from './lmdb/open.js';
import { deliveriesIn, lmdbUnderTest } from './storage-under-test.js';

describeLanes({
  name: 'memory',
  lasts: false,
  setUp: async () => {
    const store = new MemoryStore();
    return async () => store;
  },
});

describeLanes(deliveriesIn(lmdbUnderTest));

describeLanes({
  name: 'lmdb, of one destination',
  lasts: true,
  setUp: async () => {
    const path = await newFolder();
    return () => openLmdbStore({ path, lock: 'alone' });
  },
});

/** Each opening uses a copy of the folder, which the opening before still holds: this is what a killed process leaves. */
describeLanes({
  name: 'lmdb, of a process that was killed',
  lasts: true,
  setUp: async () => {
    let last: { readonly path: string; readonly store: EventStore } | undefined;
    return async () => {
      const path = await newFolder();
      await last?.store.flush();
      if (last !== undefined) await cp(last.path, path, { recursive: true });
      const store = await openLmdbStore({ path, lock: 'none' });
      onTestFinished(store.close.bind(store));
      store.close = async () => {};
      last = { path, store };
      return store;
    };
  },
});

const body = Buffer.from('{"type":"track"}');
const add = (store: MemoryStore, id: string, source?: string): string | undefined =>
  store.takeIn(newEvent(id, 'track', ['a'], 1, source === undefined ? {} : { source }), { id, body });

test('a message is added to a destination once, under its own id', async () => {
  const store = new MemoryStore();
  expect([add(store, 'm1', 'web'), add(store, 'm1', 'web')]).toEqual(['m1', undefined]);
});

test('a message is added once, even if another source has used the same id', async () => {
  const store = new MemoryStore();
  add(store, 'm1', 'web');
  expect([add(store, 'm1', 'app'), add(store, 'm1', 'app')]).toEqual(['//app/m1', undefined]);
  expect(await store.event('//app/m1')).toMatchObject({ id: '//app/m1', source: 'app' });
});

test('a message without a source counts as the stored one with the same id', async () => {
  const store = new MemoryStore();
  add(store, 'm1', 'web');
  expect(add(store, 'm1')).toBeUndefined();
});
