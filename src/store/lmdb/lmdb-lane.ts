import type { Database } from 'lmdb';
import type { Lane } from '../event-index.js';
import type { QueueKey } from '../event-store.js';
import { LmdbQueue, type QueueIndex } from './lmdb-index.js';

/**
 * A lane on the disk: its head, and how many deliveries wait behind it. Most lanes have none, so nothing more is read for them.
 */
type LaneRecord = readonly [head: string, size: number];

/** The tables of all lanes, with the name of the lane in each key. */
export interface LaneTables {
  readonly lanes: Database<LaneRecord, Uint8Array>;
  /** The deliveries that wait behind the heads. */
  readonly behind: QueueIndex;
}

/** A lane that was read inside a transaction, and is written at each change. */
export class LmdbLane implements Lane {
  readonly #lanes: LaneTables['lanes'];
  readonly #name: Uint8Array;
  readonly #queue: LmdbQueue;
  #head: string | undefined;
  #size: number;

  constructor(tables: LaneTables, name: Uint8Array) {
    this.#lanes = tables.lanes;
    this.#name = name;
    this.#queue = new LmdbQueue(tables.behind, name);
    [this.#head, this.#size] = tables.lanes.get(name) ?? [undefined, 0];
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
    this.#queue.add(key);
    this.#size++;
    this.#write();
  }

  delete(key: QueueKey): void {
    this.#queue.delete(key);
    this.#size--;
    this.#write();
  }

  shift(): QueueKey | undefined {
    const [next] = this.#size === 0 ? [] : this.#queue.list(undefined, 1);
    if (next !== undefined) this.delete(next);
    return next;
  }

  #write(): void {
    if (this.#head === undefined) this.#lanes.remove(this.#name);
    else this.#lanes.put(this.#name, [this.#head, this.#size]);
  }
}
