import { checkOptions } from '../../base/options/check-options.js';
import { systemClock } from '../../base/time/clock.js';
import { addDelivery, type EventRecords } from '../event-index.js';
import type { EventStore } from '../event-store.js';
import type { Change, Entry, KeyValueStore } from '../key-value-store.js';
import { SortedList } from '../sorted-list.js';
import { type brand, KEEP_MS, type Storage } from '../storage.js';
import { SharedStore, type Store } from '../store.js';
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
  const messageIds = new MemoryMessageIds();
  const storage: Omit<Storage, typeof brand> = {
    async takeIn(source, intakes, nowMs) {
      return intakes.map((intake) => {
        if (!messageIds.keep(source, intake.id, nowMs)) return 'known';
        return intake.deliveries.map(({ store, event }) => addDelivery(recordsOf(store), event, intake));
      });
    },
    sendersOf: async (id, sources, nowMs) => sources.filter((source) => messageIds.has(source, id, nowMs)),
    keyValues: new MemoryKeyValueStore(),
    async deliveries(destination) {
      const store = stores.get(destination) ?? new MemoryStore();
      stores.set(destination, store);
      return store;
    },
    mayHave: async (looks) => looks.map(() => true),
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
    async check() {},
    async close() {},
  };
  return storage as Storage;
}

function recordsOf(store: EventStore): EventRecords {
  if (store instanceof MemoryStore) return store.records;
  throw new Error('Expected a store of this storage');
}

/** Keys and values in memory, which are lost when the process ends. */
export class MemoryKeyValueStore implements KeyValueStore {
  readonly #values = new Map<string, string>();
  readonly #keys = new SortedList<string>((a, b) => (a < b ? -1 : Number(a > b)));

  async get(keys: readonly string[]): Promise<(string | undefined)[]> {
    return keys.map((key) => this.#values.get(key));
  }

  async list(prefix: string, after: string | undefined, limit: number): Promise<Entry[]> {
    const entries: Entry[] = [];
    for (const key of this.#keysWith(prefix, after)) {
      if (entries.length >= limit) break;
      entries.push({ key, value: this.#values.get(key) ?? '' });
    }
    return entries;
  }

  async write(changes: readonly Change[]): Promise<void> {
    for (const { key, value } of changes) this.#set(key, value);
  }

  async writeIf(expected: Change, changes: readonly Change[]): Promise<boolean> {
    const holds = this.#values.get(expected.key) === expected.value;
    if (holds) await this.write(changes);
    return holds;
  }

  async removeAll(prefix: string): Promise<void> {
    for (const key of [...this.#keysWith(prefix, undefined)]) this.#set(key, undefined);
  }

  *#keysWith(prefix: string, after: string | undefined): Generator<string, void, undefined> {
    const start = bytesOf(prefix);
    if (after === undefined && this.#values.has(prefix)) yield prefix;
    const from = after === undefined || bytesOf(after) < start ? start : bytesOf(after);
    for (const bytes of this.#keys.after(from)) {
      if (!bytes.startsWith(start)) return;
      yield Buffer.from(bytes, 'latin1').toString();
    }
  }

  #set(key: string, value: string | undefined): void {
    if (value === undefined) {
      this.#values.delete(key);
      this.#keys.delete(bytesOf(key));
    } else {
      if (!this.#values.has(key)) this.#keys.add(bytesOf(key));
      this.#values.set(key, value);
    }
  }
}

/** One character per byte, because JavaScript compares strings by other units than bytes. */
const bytesOf = (text: string): string => Buffer.from(text).toString('latin1');

/** Remembers ids until the process ends. */
class MemoryMessageIds {
  /** Until when each id is remembered, in the order of arrival, which is nearly the order of these times. */
  readonly #until = new Map<string, number>();

  /** Returns true if the id was new. */
  keep(source: string, id: string, nowMs: number): boolean {
    this.#dropPast(nowMs);
    if (this.has(source, id, nowMs)) return false;
    const key = keyOf(source, id);
    this.#until.delete(key);
    this.#until.set(key, nowMs + KEEP_MS);
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
