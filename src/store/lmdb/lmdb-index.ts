import type { Database } from 'lmdb';
import type { QueueKey } from '../event-store.js';
import { decodeQueueKey, encodeQueueKey, endOf, successor } from '../queue-key.js';

/** A table that contains only the keys of queues, each after the prefix of its queue. */
export type QueueIndex = Database<Uint8Array, Uint8Array>;

const NOTHING = Buffer.alloc(0);

/** One queue of a table. Methods that write are called inside a transaction. */
export class LmdbQueue {
  readonly #table: QueueIndex;
  readonly #prefix: Uint8Array;

  constructor(table: QueueIndex, prefix: Uint8Array) {
    this.#table = table;
    this.#prefix = prefix;
  }

  add(key: QueueKey): void {
    this.#table.put(encodeQueueKey(this.#prefix, key), NOTHING);
  }

  delete(key: QueueKey): void {
    this.#table.remove(encodeQueueKey(this.#prefix, key));
  }

  has(key: QueueKey): boolean {
    return this.#table.doesExist(encodeQueueKey(this.#prefix, key));
  }

  /** Returns the keys in order, from the first one after `after`. */
  list(after: QueueKey | undefined, limit: number): QueueKey[] {
    const prefix = this.#prefix;
    const start = after === undefined ? prefix : successor(encodeQueueKey(prefix, after));
    const keys = this.#table.getKeys({ start, end: endOf(prefix), limit });
    return Array.from(keys, (key) => decodeQueueKey(prefix.length, key));
  }

  last(): QueueKey | undefined {
    const prefix = this.#prefix;
    const [key] = this.#table.getKeys({ start: endOf(prefix), end: prefix, reverse: true, limit: 1 });
    return key && decodeQueueKey(prefix.length, key);
  }
}
