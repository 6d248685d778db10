import { lmdbStorage } from '../../src/store/lmdb/lmdb-storage.js';
import { openLmdbStore } from '../../src/store/lmdb/lmdb-store.js';
import { memoryStorage } from '../../src/store/memory/memory-storage.js';
import { MemoryStore } from '../../src/store/memory/memory-store.js';
import { newFolder } from '../cli/files.js';
import { describeEventStore } from './event-store-conformance.js';
import { describeStorage } from './storage-conformance.js';

/** Redis is in test/redis, with a server. */
describeStorage({
  name: 'memory',
  lasts: false,
  isShared: false,
  setUp: async () => {
    const storage = memoryStorage();
    return async () => storage;
  },
  pass: async () => {},
});

describeStorage({
  name: 'lmdb',
  lasts: true,
  isShared: true,
  setUp: async () => {
    const path = await newFolder();
    return () => lmdbStorage({ path });
  },
  pass: async () => {},
});

describeEventStore({
  name: 'memory, of one destination',
  lasts: false,
  setUp: async () => {
    const store = new MemoryStore();
    return async () => store;
  },
});

describeEventStore({
  name: 'lmdb, of one destination',
  lasts: true,
  setUp: async () => {
    const path = await newFolder();
    return () => openLmdbStore({ path, lock: 'alone' });
  },
});
