import { newFolder } from '../../cli/files.js';
import { describeEventStore } from '../event-store-conformance.js';
import { openLmdbStore } from './open.js';

describeEventStore({
  name: 'lmdb, of one destination',
  lasts: true,
  setUp: async () => {
    const path = await newFolder();
    return () => openLmdbStore({ path, lock: 'alone' });
  },
});
