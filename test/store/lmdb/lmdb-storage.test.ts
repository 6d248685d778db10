import { onTestFinished } from 'vitest';
import { lmdbStorage } from '../../../src/store/lmdb/lmdb-storage.js';
import { newFolder } from '../../cli/files.js';
import { describeStore } from '../event-store-conformance.js';
import { describeKeyValueStore } from '../key-value-store-conformance.js';
import { describeMessageIdStore } from '../message-id-store-conformance.js';
import type { StorageUnderTest } from '../storage-under-test.js';

const lmdb: StorageUnderTest = {
  name: 'lmdb',
  lasts: true,
  isShared: true,
  setUp: async () => {
    const path = await newFolder();
    return () => lmdbStorage({ path });
  },
  pass: async () => {},
};

describeMessageIdStore(lmdb);
describeKeyValueStore(lmdb);
describeStore({
  name: 'lmdb storage',
  lasts: true,
  setUp: async () => {
    const path = await newFolder();
    return async () => {
      const storage = await lmdbStorage({ path });
      onTestFinished(() => storage.close());
      return storage.deliveries('crm');
    };
  },
});
