import type { EventStore } from '../event-store.js';
import type { Storage } from '../storage.js';
import { MemoryKeyValueStore } from './memory-key-value-store.js';
import { MemoryMessageIdStore } from './memory-message-id-store.js';
import { MemoryStore } from './memory-store.js';

/** Keeps everything in this process, which forgets it when it ends: for tests, and for a first try. */
export function memoryStorage(): Storage {
  const stores = new Map<string, EventStore>();
  return {
    messageIds: new MemoryMessageIdStore(),
    keyValues: new MemoryKeyValueStore(),
    async deliveries(destination) {
      const store = stores.get(destination) ?? new MemoryStore();
      stores.set(destination, store);
      return store;
    },
    // It is kept nowhere.
    size: async () => 0,
    assertRoom() {},
    async check() {},
    async close() {},
  };
}
