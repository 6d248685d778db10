import { MemoryStore } from '../../../src/store/memory/memory-store.js';
import { describeEventStore } from '../event-store-conformance.js';

describeEventStore({
  name: 'memory, of one destination',
  lasts: false,
  setUp: async () => {
    const store = new MemoryStore();
    return async () => store;
  },
});
