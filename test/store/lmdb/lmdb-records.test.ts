import { openLmdbStore } from '../../../src/store/lmdb/lmdb-store.js';
import { newFolder } from '../../cli/files.js';
import { describeEventStore } from '../event-store-conformance.js';

describeEventStore({
  name: 'lmdb, of one destination',
  lasts: true,
  setUp: async () => {
    const path = await newFolder();
    return () => openLmdbStore({ path, lock: 'alone' });
  },
});
