import type { EventStore } from './event-store.js';

declare const sealed: unique symbol;

/** Where a destination keeps what it accepted. `lmdbStore()` and `memoryStore()` make one; nothing in it is for programs. */
export interface Store {
  // Nothing but a brand: no other object is a store.
  readonly [sealed]: true;
}

class SealedStore {
  readonly #events: EventStore;

  constructor(events: EventStore) {
    this.#events = events;
  }

  static eventsIn(store: unknown): EventStore | undefined {
    return typeof store === 'object' && store !== null && #events in store ? store.#events : undefined;
  }
}

/** Makes what programs hold of a store. */
export const seal = (events: EventStore): Store =>
  // The brand is there for the types alone.
  new SealedStore(events) as unknown as Store;

/** What is in a store that `seal` made; undefined for anything else. */
export const eventsIn = (store: unknown): EventStore | undefined => SealedStore.eventsIn(store);
