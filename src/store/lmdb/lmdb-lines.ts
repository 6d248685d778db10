import type { Database } from 'lmdb';
import type { Position, QueueKey } from '../event-store.js';
import type { Lane, LaneTable, PositionedEntry } from '../lanes.js';
import { decodeQueueKey, encodeQueueKey, endOf, successor } from '../queue-key.js';
import { lastKey, listKeys, type QueueIndex } from './lmdb-index.js';

export interface LmdbLinesOptions {
  /** Each line has the keys of what waits in it. */
  readonly waiting: QueueIndex;
  /** Each lane has the id of its head under its own key, and the keys of what is behind it after that. */
  readonly lanes: Database<Uint8Array, Uint8Array>;
  /** Stands before every key. */
  readonly prefix: Uint8Array;
  numberOf(url: string): number | undefined;
}

const STAGES = ['first', 'retry', 'behind'] as const satisfies Position[];
const NOTHING = Buffer.alloc(0);

/** What waits for each URL, as it lies in lmdb. Whatever writes is called inside a transaction. */
export class LmdbLines implements LaneTable {
  readonly #options: LmdbLinesOptions;

  constructor(options: LmdbLinesOptions) {
    this.#options = options;
  }

  list(url: string, stage: Position, after: QueueKey | undefined, limit: number): QueueKey[] {
    const number = this.#options.numberOf(url);
    return number === undefined ? [] : listKeys(this.#options.waiting, this.#line(number, stage), after, limit);
  }

  /** The last place that is taken at any of the URLs. */
  lastPlace(urls: Iterable<number>): number {
    let last = 0;
    for (const number of urls) {
      for (const stage of ['first', 'behind'] as const) {
        last = Math.max(last, lastKey(this.#options.waiting, this.#line(number, stage))?.at ?? 0);
      }
    }
    return last;
  }

  put(entry: PositionedEntry): void {
    this.#options.waiting.put(this.#keyOf(entry), NOTHING);
  }

  remove(entry: PositionedEntry): void {
    this.#options.waiting.remove(this.#keyOf(entry));
  }

  head(lane: Lane): string | undefined {
    const id = this.#options.lanes.get(this.#lane(lane));
    return id && Buffer.from(id).toString();
  }

  setHead(lane: Lane, id: string | undefined): void {
    if (id === undefined) this.#options.lanes.remove(this.#lane(lane));
    else this.#options.lanes.put(this.#lane(lane), Buffer.from(id));
  }

  putBehind(lane: Lane, key: QueueKey): void {
    this.#options.lanes.put(encodeQueueKey(this.#lane(lane), key), NOTHING);
  }

  removeBehind(lane: Lane, key: QueueKey): void {
    this.#options.lanes.remove(encodeQueueKey(this.#lane(lane), key));
  }

  firstBehind(lane: Lane): QueueKey | undefined {
    const prefix = this.#lane(lane);
    for (const key of this.#options.lanes.getKeys({ start: successor(prefix), end: endOf(prefix), limit: 1 })) {
      return decodeQueueKey(prefix.length, key);
    }
    return undefined;
  }

  #keyOf(entry: PositionedEntry): Buffer {
    return encodeQueueKey(this.#line(this.#numberOf(entry.url), entry.stage), entry);
  }

  #lane({ url, user }: Lane): Buffer {
    const { prefix } = this.#options;
    const number = Buffer.alloc(2);
    number.writeUInt16BE(this.#numberOf(url));
    // Names of users have one length, so that none is how another begins.
    return Buffer.concat([prefix, number, Buffer.from(user)]);
  }

  #line(number: number, stage: Position): Buffer {
    const { prefix } = this.#options;
    const line = Buffer.allocUnsafe(prefix.length + 3);
    line.set(prefix);
    line.writeUInt16BE(number, prefix.length);
    line.writeUInt8(STAGES.indexOf(stage), prefix.length + 2);
    return line;
  }

  #numberOf(url: string): number {
    const number = this.#options.numberOf(url);
    if (number === undefined) throw new Error(`No event for ${url} was ever added`);
    return number;
  }
}
