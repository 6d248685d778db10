import type { Database } from 'lmdb';
import type { QueueKey } from '../event-store.js';
import { decodeQueueKey, encodeQueueKey, endOf, successor } from '../queue-key.js';

/** A table that contains only the keys of queues, each after the prefix of its queue. */
export type QueueIndex = Database<Uint8Array, Uint8Array>;

/** Returns the queue's keys in order, from the first one after `after`. */
export function listKeys(
  index: QueueIndex,
  prefix: Uint8Array,
  after: QueueKey | undefined,
  limit: number,
): QueueKey[] {
  const start = after === undefined ? prefix : successor(encodeQueueKey(prefix, after));
  const found: QueueKey[] = [];
  for (const key of index.getKeys({ start, end: endOf(prefix), limit })) found.push(decodeQueueKey(prefix.length, key));
  return found;
}

export function lastKey(index: QueueIndex, prefix: Uint8Array): QueueKey | undefined {
  // The range is read backwards.
  for (const key of index.getKeys({ start: endOf(prefix), end: prefix, reverse: true, limit: 1 })) {
    return decodeQueueKey(prefix.length, key);
  }
  return undefined;
}

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

  list(after: QueueKey | undefined, limit: number): QueueKey[] {
    return listKeys(this.#table, this.#prefix, after, limit);
  }
}
