import type { Lane } from '../event-index.js';
import type { QueueKey } from '../event-store.js';
import { compareQueueKeys, encodeQueueKey } from '../queue-key.js';
import { listKeys, type QueueIndex } from './lmdb-index.js';

/** How many of those behind the head are in memory. */
const MOST_KEYS = 16;

const NOTHING = Buffer.alloc(0);

/** Where what is not in memory of all lanes lies: its keys, after the name of its lane. Heads are at 0. */
export class LaneIndex {
  readonly table: QueueIndex;
  /** Whether there is anything in it, so that an empty one is not read for each lane. */
  isUsed = true;

  constructor(table: QueueIndex) {
    this.table = table;
  }

  put(lane: Uint8Array, key: QueueKey): void {
    this.isUsed = true;
    this.table.put(encodeQueueKey(lane, key), NOTHING);
  }

  remove(lane: Uint8Array, key: QueueKey): void {
    if (this.isUsed) this.table.remove(encodeQueueKey(lane, key));
  }

  /** Takes the first keys out of it. */
  take(lane: Uint8Array, limit: number): QueueKey[] {
    const keys = this.isUsed ? listKeys(this.table, lane, undefined, limit) : [];
    for (const key of keys) this.remove(lane, key);
    return keys;
  }
}

/** A lane that is in memory: its head, and the first of what is behind it. What is behind those is in the index. */
export class LmdbLane implements Lane {
  head: string | undefined;
  readonly #index: LaneIndex;
  readonly #name: Uint8Array;
  #next: QueueKey[] = [];
  #hasMore = false;

  constructor(index: LaneIndex, name: Uint8Array) {
    this.#index = index;
    this.#name = name;
  }

  /** Moves the lane from the index into memory. */
  static load(index: LaneIndex, name: Uint8Array): LmdbLane {
    const lane = new LmdbLane(index, name);
    lane.#read();
    if (lane.#next[0]?.at === 0) lane.head = lane.#next.shift()?.id;
    return lane;
  }

  /** Moves it from memory into the index. */
  store(): void {
    if (this.head !== undefined) this.#index.put(this.#name, { at: 0, id: this.head });
    for (const key of this.#next) this.#index.put(this.#name, key);
  }

  copy(): LmdbLane {
    const copy = new LmdbLane(this.#index, this.#name);
    copy.head = this.head;
    copy.#next = this.#next.slice();
    copy.#hasMore = this.#hasMore;

    return copy;
  }

  get behind(): Lane['behind'] {
    return this;
  }

  add({ at, id }: QueueKey): void {
    const key = { at, id };
    let place = this.#next.length;
    while (place > 0 && compareQueueKeys(this.#next[place - 1] ?? key, key) > 0) place--;
    if (!this.#hasMore || place < this.#next.length) this.#next.splice(place, 0, key);
    else this.#index.put(this.#name, key);
    const last = this.#next.length > MOST_KEYS ? this.#next.pop() : undefined;
    if (last === undefined) return;
    this.#index.put(this.#name, last);
    this.#hasMore = true;
  }

  delete(key: QueueKey): boolean {
    const place = this.#next.findIndex(({ id }) => id === key.id);
    if (place < 0) this.#index.remove(this.#name, key);
    else this.#next.splice(place, 1);
    return true;
  }

  shift(): QueueKey | undefined {
    if (this.#next.length === 0 && this.#hasMore) this.#read();
    return this.#next.shift();
  }

  #read(): void {
    this.#next = this.#index.take(this.#name, MOST_KEYS);
    this.#hasMore = this.#next.length === MOST_KEYS;
  }
}
