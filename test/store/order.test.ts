import { MemoryStore } from '../../src/store/memory/memory-store.js';
import { newFolder } from '../cli/files.js';
import { openLmdbStore } from './lmdb/open.js';
import { describeOrder, describeOrderOfIntake } from './order-conformance.js';
import { deliveriesIn, lmdbUnderTest, memoryUnderTest } from './storage-under-test.js';

for (const storage of [memoryUnderTest, lmdbUnderTest]) {
  describeOrder(deliveriesIn(storage));
  describeOrderOfIntake(storage);
}

describeOrder({
  name: 'memory, of one destination',
  lasts: false,
  setUp: async () => {
    const store = new MemoryStore();
    return async () => store;
  },
});

describeOrder({
  name: 'lmdb, of one destination',
  lasts: true,
  setUp: async () => {
    const path = await newFolder();
    return () => openLmdbStore({ path, lock: 'alone' });
  },
});
