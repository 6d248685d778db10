import type { Database } from 'lmdb';
import type { QueueKey, QueuePosition } from '../event-store.js';
import type { Lane } from '../local-store.js';
import { decodeQueueKey, encodeQueueKey, endOf, successor } from '../queue-key.js';
import type { GroupCommit } from './group-commit.js';

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

/** A lane on the disk: its head, and how many deliveries wait behind it. Most lanes have none, so nothing more is read for them. */
type LaneRecord = readonly [head: string, size: number];

export interface LineTables {
  /** The keys of the deliveries that wait in each line. */
  readonly waiting: QueueIndex;
  /** The lanes by their names. */
  readonly lanes: Database<LaneRecord, Uint8Array>;
  /** The deliveries that wait behind the heads of lanes. */
  readonly behind: QueueIndex;
}

/** Takes the place of a URL that never had an event. Its lines are empty. */
const NO_URL = 0xffff;

/** The lines of one destination in lmdb, one for each URL and stage. Methods that write are called inside a transaction. */
export class LmdbLines {
  readonly #tables: LineTables;
  readonly #prefix: Uint8Array;
  readonly #urls: LmdbUrls;
  /** The lines by the number of their URL, because each change of an event needs some. */
  readonly #opened: Record<number, Readonly<Record<QueuePosition, LmdbQueue>>> = {};

  /** @param prefix the bytes before every key of the destination */
  constructor(tables: LineTables, prefix: Uint8Array, urls: LmdbUrls) {
    this.#tables = tables;
    this.#prefix = prefix;
    this.#urls = urls;
  }

  /** Returns the last place in line that is taken at any of the URLs. */
  lastPlace(): number {
    const numbers = [...this.#urls.all().keys()];
    const lines = numbers.map((number) => this.#linesOf(number)).flatMap(({ first, behind }) => [first, behind]);
    return Math.max(0, ...lines.map((line) => line.last()?.at ?? 0));
  }

  lane(url: string, user: string): Lane {
    // All user names have the same length, so no lane's name is the beginning of another's.
    return new LmdbLane(this.#tables, Buffer.concat([this.#prefix, uint16(this.#numberOf(url)), Buffer.from(user)]));
  }

  line(url: string, stage: QueuePosition): LmdbQueue {
    return this.#linesOf(this.#numberOf(url))[stage];
  }

  #linesOf(number: number): Readonly<Record<QueuePosition, LmdbQueue>> {
    this.#opened[number] ??= {
      first: this.#open(number, 0),
      retry: this.#open(number, 1),
      behind: this.#open(number, 2),
    };
    return this.#opened[number];
  }

  #open(number: number, stage: number): LmdbQueue {
    return new LmdbQueue(this.#tables.waiting, Buffer.concat([this.#prefix, uint16(number), Buffer.of(stage)]));
  }

  #numberOf(url: string): number {
    return this.#urls.numberOf(url) ?? NO_URL;
  }
}

/** A lane that was read inside a transaction, and is written at each change. */
class LmdbLane implements Lane {
  readonly #lanes: LineTables['lanes'];
  readonly #name: Uint8Array;
  readonly #behind: LmdbQueue;
  #head: string | undefined;
  #size: number;

  constructor({ lanes, behind }: LineTables, name: Uint8Array) {
    this.#lanes = lanes;
    this.#name = name;
    this.#behind = new LmdbQueue(behind, name);
    [this.#head, this.#size] = lanes.get(name) ?? [undefined, 0];
  }

  get head(): string | undefined {
    return this.#head;
  }

  set head(id: string | undefined) {
    this.#head = id;
    this.#write();
  }

  add(key: QueueKey): void {
    this.#behind.add(key);
    this.#size++;
    this.#write();
  }

  delete(key: QueueKey): void {
    this.#behind.delete(key);
    this.#size--;
    this.#write();
  }

  shift(): QueueKey | undefined {
    const [next] = this.#size === 0 ? [] : this.#behind.list(undefined, 1);
    if (next !== undefined) this.delete(next);
    return next;
  }

  #write(): void {
    if (this.#head === undefined) this.#lanes.remove(this.#name);
    else this.#lanes.put(this.#name, [this.#head, this.#size]);
  }
}

/** The URLs of one destination, which have numbers in indexes and records. The numbers start at 0 and are never reused. */
export class LmdbUrls {
  readonly #table: Database<string, Uint8Array>;
  readonly #commits: GroupCommit;
  readonly #prefix: Uint8Array;
  /** The committed URLs by number, without those of a running transaction, which may be undone. */
  #committed: readonly string[] = [];

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
    const known = this.#committed.indexOf(url);
    const number = known < 0 ? this.all().indexOf(url) : known;
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
  }

  urlOf(number: number): string {
    const url = this.#committed[number] ?? this.all()[number];
    if (url === undefined) throw new Error(`No URL has the number ${number}`);
    return url;
  }

  #keyOf(number: number): Buffer {
    return Buffer.concat([this.#prefix, uint16(number)]);
  }
}

/** Returns a number as two bytes, such as those that stand for a URL. */
export function uint16(number: number): Buffer {
  const bytes = Buffer.allocUnsafe(2);
  bytes.writeUInt16BE(number);
  return bytes;
}
