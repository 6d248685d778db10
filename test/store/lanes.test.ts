import { cp } from 'node:fs/promises';
import { onTestFinished } from 'vitest';
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

/** Each time it is opened it is a copy of the folder, which the one before still has open: what a process leaves that is killed. */
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
