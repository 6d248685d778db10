import type { EventStore } from '../../src/store/event-store.js';
import { SharedStore, type Store } from '../../src/store/store.js';

/** Creates a store from the deliveries of one destination, whatever its name. */
export const seal = (store: EventStore & { close?(): Promise<void> }): Store =>
  new SharedStore(async () => ({ deliveries: async () => store, close: async () => store.close?.() }));
