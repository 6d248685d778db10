import type { Database } from 'lmdb';
import type { StoredEvent } from '../../delivery/completion-rule.js';
import { UrlTally } from '../kept-tally.js';
import { endOf } from '../queue-key.js';
import type { GroupCommit } from './group-commit.js';
import { type LmdbUrls, uint16 } from './lmdb-lines.js';

/** Takes the place of a URL's number in the counts of whole events. No URL has this number. */
const OF_EVENTS = 0xffff;

/**
 * The counts of one destination, which describe its indexes. Changes of a transaction are written when it ends, so that a
 * thousand events cost as many writes as one.
 */
export class LmdbCounts {
  readonly #table: Database<number, Uint8Array>;
  readonly #commits: GroupCommit;
  readonly #prefix: Uint8Array;
  readonly #urls: LmdbUrls;

  /** @param prefix the bytes before every key of the destination */
  constructor(table: Database<number, Uint8Array>, commits: GroupCommit, prefix: Uint8Array, urls: LmdbUrls) {
    this.#table = table;
    this.#commits = commits;
    this.#prefix = prefix;
    this.#urls = urls;
  }

  /** Adds the counts of the event or, with -1, subtracts them. Called inside a transaction. */
  add(event: StoredEvent, sign: 1 | -1): void {
    this.#commits.gathered(this).add(event, sign);
  }

  /** Returns the committed counts. */
  read(): UrlTally {
    const prefix = this.#prefix;
    const tally = new UrlTally();
    const urls = this.#urls.all();
    for (const { key, value } of this.#table.getRange({ start: prefix, end: endOf(prefix) })) {
      const bytes = Buffer.from(key.buffer, key.byteOffset, key.byteLength);
      const number = bytes.readUInt16BE(prefix.length);
      const url = number === OF_EVENTS ? '' : urls[number];
      if (url !== undefined) tally.addAll([[url, bytes.toString('utf8', prefix.length + 2), value]]);
    }
    return tally;
  }

  begin(): UrlTally {
    return new UrlTally();
  }

  end(changes: UrlTally): void {
    const table = this.#table;
    for (const [url, what, change] of changes.entries()) {
      const key = this.#keyOf(url, what);
      const count = (table.get(key) ?? 0) + change;
      if (count === 0) table.remove(key);
      else table.put(key, count);
    }
  }

  #keyOf(url: string, what: string): Buffer {
    const number = url === '' ? OF_EVENTS : (this.#urls.numberOf(url) ?? OF_EVENTS);
    return Buffer.concat([this.#prefix, uint16(number), Buffer.from(what)]);
  }
}
