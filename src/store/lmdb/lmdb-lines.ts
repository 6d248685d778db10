import type { Database } from 'lmdb';
import type { Lane, LineTable, PositionedEntry } from '../event-index.js';
import type { QueueKey, QueuePosition } from '../event-store.js';
import { encodeQueueKey } from '../queue-key.js';
import type { GroupCommit } from './group-commit.js';
import { lastKey, listKeys, type QueueIndex } from './lmdb-index.js';
import { type LaneTables, LmdbLane } from './lmdb-lane.js';

export interface LineTables extends LaneTables {
  /** The keys of the deliveries that wait in each line. */
  readonly waiting: QueueIndex;
}

const STAGES = ['first', 'retry', 'behind'] as const satisfies QueuePosition[];

const NOTHING = Buffer.alloc(0);

/** The lines of one destination in lmdb, one for each URL and stage. Methods that write are called inside a transaction. */
export class LmdbLines implements LineTable {
  readonly #tables: LineTables;
  readonly #prefix: Uint8Array;
  readonly #urls: LmdbUrls;

  /** @param prefix the bytes before every key of the destination */
  constructor(tables: LineTables, prefix: Uint8Array, urls: LmdbUrls) {
    this.#tables = tables;
    this.#prefix = prefix;
    this.#urls = urls;
  }

  list(url: string, stage: QueuePosition, after: QueueKey | undefined, limit: number): QueueKey[] {
    const number = this.#urls.numberOf(url);
    return number === undefined ? [] : listKeys(this.#tables.waiting, this.#line(number, stage), after, limit);
  }

  /** Returns the last place in line that is taken at any of the URLs. */
  lastPlace(): number {
    let last = 0;
    for (const number of this.#urls.all().keys()) {
      for (const stage of ['first', 'behind'] as const) {
        last = Math.max(last, lastKey(this.#tables.waiting, this.#line(number, stage))?.at ?? 0);
      }
    }
    return last;
  }

  lane(url: string, user: string): Lane {
    return new LmdbLane(this.#tables, this.#laneOf(url, user));
  }

  isBehind(url: string, { at, id }: QueueKey): boolean {
    return this.#tables.waiting.doesExist(this.#keyOf({ url, stage: 'behind', at, id }));
  }

  put(entry: PositionedEntry): void {
    this.#tables.waiting.put(this.#keyOf(entry), NOTHING);
  }

  remove(entry: PositionedEntry): void {
    this.#tables.waiting.remove(this.#keyOf(entry));
  }

  #keyOf(entry: PositionedEntry): Buffer {
    return encodeQueueKey(this.#line(this.#numberOf(entry.url), entry.stage), entry);
  }

  /** All user names have the same length, so no lane's name is the beginning of another's. */
  #laneOf(url: string, user: string): Buffer {
    const prefix = this.#prefix;
    const lane = Buffer.allocUnsafe(prefix.length + 2 + Buffer.byteLength(user));
    lane.set(prefix);
    lane.writeUInt16BE(this.#numberOf(url), prefix.length);
    lane.write(user, prefix.length + 2);
    return lane;
  }

  #line(number: number, stage: QueuePosition): Buffer {
    const prefix = this.#prefix;
    const line = Buffer.allocUnsafe(prefix.length + 3);
    line.set(prefix);
    line.writeUInt16BE(number, prefix.length);
    line.writeUInt8(STAGES.indexOf(stage), prefix.length + 2);
    return line;
  }

  #numberOf(url: string): number {
    const number = this.#urls.numberOf(url);
    if (number === undefined) throw new Error(`No event for ${url} was ever added`);
    return number;
  }
}

/** The URLs of one destination, which have numbers in indexes and records. The numbers start at 0 and are never reused. */
export class LmdbUrls {
  readonly #table: Database<string, Uint8Array>;
  readonly #commits: GroupCommit;
  readonly #prefix: Uint8Array;
  /** The committed URLs by number, and the numbers by URL, without those of a running transaction, which may be undone. */
  #committed: readonly string[] = [];
  #numbers: ReadonlyMap<string, number> = new Map();

  /** @param prefix the bytes before every key of the destination */
  constructor(table: Database<string, Uint8Array>, commits: GroupCommit, prefix: Uint8Array) {
    this.#table = table;
    this.#commits = commits;
    this.#prefix = prefix;
    this.committed();
  }

  /** Returns the URLs by number; inside a transaction, including those that it has added. */
  all(): string[] {
    const range = { start: this.#keyOf(0), end: this.#keyOf(0xffff) };
    return [...this.#table.getRange(range).map(({ value }) => value)];
  }

  numberOf(url: string): number | undefined {
    const number = this.#numbers.get(url) ?? this.all().indexOf(url);
    return number < 0 ? undefined : number;
  }

  /** Returns the number of the URL, assigning one if it has none. Called inside a transaction. */
  register(url: string): number {
    const known = this.numberOf(url);
    if (known !== undefined) return known;
    const number = this.all().length;
    this.#table.put(this.#keyOf(number), url);
    this.#commits.gathered(this);
    return number;
  }

  /** Collects nothing, because the transaction itself writes to the table. */
  begin(): true {
    return true;
  }

  committed(): void {
    this.#committed = this.all();
    this.#numbers = new Map(this.#committed.map((url, number) => [url, number]));
  }

  urlOf(number: number): string {
    const url = this.#committed[number] ?? this.all()[number];
    if (url === undefined) throw new Error(`No URL has the number ${number}`);
    return url;
  }

  #keyOf(number: number): Buffer {
    const key = Buffer.alloc(this.#prefix.length + 2);
    key.set(this.#prefix);
    key.writeUInt16BE(number, this.#prefix.length);
    return key;
  }
}
