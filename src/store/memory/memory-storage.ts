import { checkOptions } from '../../base/options/check-options.js';
import { systemClock } from '../../base/time/clock.js';
import { takeInAll } from '../local-store.js';
import { type brand, KEEP_MS, type Storage } from '../storage.js';
import { SharedStore, type Store } from '../store.js';
import { WebhookList } from '../webhook-list.js';
import { MemoryKeyValueStore } from './memory-key-value-store.js';
import { MemoryStore } from './memory-store.js';

/** Creates a store whose contents are lost when the process ends: for tests, and where losing waiting events does no harm. */
export function memoryStore(options: Readonly<Record<string, never>> = {}): Store {
  const storage = memoryStorage(options);
  return new SharedStore(async () => storage);
}

/** Creates a storage in memory, whose contents are lost when the process ends: for tests, and for a first try. */
export function memoryStorage(options: Readonly<Record<string, never>> = {}): Storage {
  checkOptions(options, {}, { door: 'store', advise: () => 'It keeps nothing and has no options' });
  const stores = new Map<string, MemoryStore>();
  const keyValues = new MemoryKeyValueStore();
  const messageIds = new MemoryMessageIds();
  const storage: Omit<Storage, typeof brand> = {
    async takeIn(source, intakes, nowMs) {
      return takeInAll(intakes, MemoryStore, (id) => messageIds.keep(source, id, nowMs));
    },
    sendersOf: async (id, sources, nowMs) => sources.filter((source) => messageIds.has(source, id, nowMs)),
    keyValues,
    async deliveries(destination) {
      const store = stores.get(destination) ?? new MemoryStore(new WebhookList(keyValues, destination));
      stores.set(destination, store);
      return store;
    },
    async settled() {},
    isShared: false,
    clock: systemClock(),
    isNew: false,
    // Only this process can empty it.
    onEmptied() {},
    historyBytes: 64_000_000,
    // Nothing takes room on a disk.
    size: async () => 0,
    assertRoom() {},
    spareBytes: () => Number.POSITIVE_INFINITY,
    async check() {},
    async close() {},
  };
  return storage as Storage;
}

/** Remembers ids until the process ends. */
class MemoryMessageIds {
  /** Until when each id is remembered, in the order of arrival, which is nearly the order of these times. */
  readonly #until = new Map<string, number>();

  /** Returns true if the id was new. */
  keep(source: string, id: string, nowMs: number): boolean {
    this.#dropPast(nowMs);
    if (this.has(source, id, nowMs)) return false;
    this.#until.set(keyOf(source, id), nowMs + KEEP_MS);
    return true;
  }

  has(source: string, id: string, nowMs: number): boolean {
    return (this.#until.get(keyOf(source, id)) ?? 0) > nowMs;
  }

  #dropPast(nowMs: number): void {
    for (const [key, until] of this.#until) {
      if (until > nowMs) return;
      this.#until.delete(key);
    }
  }
}

/** The length shows where the source ends and the id begins. */
const keyOf = (source: string, id: string): string => `${source.length}:${source}${id}`;
