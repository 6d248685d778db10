import type { Storage } from '../storage.js';
import type { Store } from '../store.js';
import { MemoryKeyValueStore } from './memory-key-value-store.js';
import { MemoryMessageIdStore } from './memory-message-id-store.js';
import { memoryStore } from './memory-store.js';

/** Keeps everything in this process, which forgets it when it ends: for tests, and for a first try. */
export function memoryStorage(): Storage {
  const stores = new Map<string, Store>();
  return {
    messageIds: new MemoryMessageIdStore(),
    keyValues: new MemoryKeyValueStore(),
    async deliveries(destination) {
      const store = stores.get(destination) ?? memoryStore();
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
