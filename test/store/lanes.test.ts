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
