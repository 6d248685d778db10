import type { Database } from 'lmdb';
import type { Lane } from '../event-index.js';
import type { QueueKey } from '../event-store.js';
import { compareQueueKeys } from '../queue-key.js';
import { LmdbQueue, type QueueIndex } from './lmdb-index.js';

/** A lane on the disk: its head, whether some are in the queue, and the first of those behind the head, each with its time and id. */
type LaneRecord = readonly [head: string, hasMore: boolean, first: readonly (readonly [at: number, id: string])[]];

/** The tables of all lanes, by the names of these. */
export interface LaneTables {
  readonly lanes: Database<LaneRecord, Uint8Array>;
  /** The deliveries that have no room in the records of their lanes. */
  readonly behind: QueueIndex;
}

/** The record has this many of those behind the head: most lanes are short, and a record is read much faster than a queue. */
const MOST_KEYS = 16;

/** A lane as it was read inside a transaction, in which it is written at each change. */
export class LmdbLane implements Lane {
  readonly #tables: LaneTables;
  readonly #name: Uint8Array;
  readonly #queue: LmdbQueue;
  #head: string | undefined;
  #hasMore: boolean;
  /** The first of those behind the head. The others are in the queue. */
  #first: QueueKey[];

  constructor(tables: LaneTables, name: Uint8Array) {
    this.#tables = tables;
    this.#name = name;
    this.#queue = new LmdbQueue(tables.behind, name);
    const [head, hasMore = false, first = []] = tables.lanes.get(name) ?? [];
    this.#head = head;
    this.#hasMore = hasMore;
    this.#first = first.map(([at, id]) => ({ at, id }));
  }

  get head(): string | undefined {
    return this.#head;
  }

  set head(id: string | undefined) {
    this.#head = id;
    this.#write();
  }

  get behind(): Lane['behind'] {
    return this;
  }

  add(key: QueueKey): void {
    let place = this.#first.length;
    while (place > 0 && compareQueueKeys(this.#first[place - 1] ?? key, key) > 0) place--;
    if (!this.#hasMore || place < this.#first.length) this.#first.splice(place, 0, key);
    else this.#queue.add(key);
    const last = this.#first.length > MOST_KEYS ? this.#first.pop() : undefined;
    if (last !== undefined) {
      this.#queue.add(last);
      this.#hasMore = true;
    }
    this.#write();
  }

  delete(key: QueueKey): void {
    const place = this.#first.findIndex(({ id }) => id === key.id);
    if (place < 0) this.#queue.delete(key);
    else this.#first.splice(place, 1);
    this.#write();
  }

  shift(): QueueKey | undefined {
    if (this.#first.length === 0 && this.#hasMore) this.#readMore();
    const next = this.#first.shift();
    this.#write();
    return next;
  }

  #readMore(): void {
    this.#first = this.#queue.list(undefined, MOST_KEYS);
    for (const key of this.#first) this.#queue.delete(key);
    this.#hasMore = this.#first.length === MOST_KEYS;
  }

  #write(): void {
    const { lanes } = this.#tables;
    if (this.#head === undefined) lanes.remove(this.#name);
    else lanes.put(this.#name, [this.#head, this.#hasMore, this.#first.map(({ at, id }) => [at, id])]);
  }
}
