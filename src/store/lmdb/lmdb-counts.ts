import type { Database } from 'lmdb';
import type { StoredEvent } from '../../delivery/completion-rule.js';
import { endOf } from '../queue-key.js';
import { type Counted, Tally } from '../tally.js';
import type { GroupCommit } from './group-commit.js';

export interface LmdbCountsOptions {
  readonly table: Database<number, Uint8Array>;
  readonly commits: GroupCommit;
  /** Stands before every key. */
  readonly prefix: Uint8Array;
  /** By number. */
  urls(): Iterable<readonly [number: number, url: string]>;
  numberOf(url: string): number | undefined;
}

/** In the place of a URL's number: more than there are. */
const OF_EVENTS = 0xffff;

/**
 * The counts of one destination, beside the indexes they count. What changes in a transaction is written at its end, so
 * that a thousand events cost as many writes as one.
 */
export class LmdbCounts {
  readonly #options: LmdbCountsOptions;
  /** What the transaction that runs has changed. */
  readonly #changes = new Tally();
  /** Which one that was: of one that failed nothing is to be written. */
  #transaction: number | undefined;

  constructor(options: LmdbCountsOptions) {
    this.#options = options;
  }

  /** Counts the event in, or, with -1, out. Called inside a transaction. */
  add(event: StoredEvent, sign: 1 | -1): void {
    this.#begin();
    this.#changes.add(event, sign);
  }

  /** Returns the counts; inside a transaction, with what it has changed. */
  read(): Tally {
    const tally = new Tally();
    tally.addAll(this.#stored());
    const { commits } = this.#options;
    if (commits.isInside && this.#transaction === commits.transaction) tally.addAll(this.#changes.entries());
    return tally;
  }

  #begin(): void {
    const { commits } = this.#options;
    if (this.#transaction === commits.transaction) return;
    this.#transaction = commits.transaction;
    this.#changes.clear();
    commits.atEnd(() => this.#write());
  }

  #write(): void {
    const { table } = this.#options;
    for (const [url, what, change] of this.#changes.entries()) {
      const key = this.#keyOf(url, what);
      const count = (table.get(key) ?? 0) + change;
      if (count === 0) table.remove(key);
      else table.put(key, count);
    }
  }

  *#stored(): Generator<Counted, void, undefined> {
    const { table, prefix, urls } = this.#options;
    const names = new Map<number, string>([[OF_EVENTS, ''], ...urls()]);
    for (const { key, value } of table.getRange(this.#range)) {
      const bytes = Buffer.from(key.buffer, key.byteOffset, key.byteLength);
      const url = names.get(bytes.readUInt16BE(prefix.length));
      if (url !== undefined) yield [url, bytes.toString('utf8', prefix.length + 2), value];
    }
  }

  get #range(): { start: Uint8Array; end: Uint8Array } {
    const { prefix } = this.#options;
    return { start: prefix, end: endOf(prefix) };
  }

  #keyOf(url: string, what: string): Buffer {
    const { prefix, numberOf } = this.#options;
    const key = Buffer.allocUnsafe(prefix.length + 2 + Buffer.byteLength(what));
    key.set(prefix);
    key.writeUInt16BE(url === '' ? OF_EVENTS : (numberOf(url) ?? OF_EVENTS), prefix.length);
    key.write(what, prefix.length + 2);
    return key;
  }
}
