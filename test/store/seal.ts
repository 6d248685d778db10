import type { EventStore } from '../../src/store/event-store.js';
import { SharedStore, type Store } from '../../src/store/store.js';

/** Makes a store of the deliveries of one destination, whatever its name. */
export const seal = (store: EventStore): Store =>
  new SharedStore(async () => ({ deliveries: async () => store, close: () => store.close() }));
