import type { Database } from 'lmdb';

/**
 * The URLs of one destination. They are long, so that indexes and records have their numbers: the first is 0, and none is ever taken back.
 */
export class LmdbUrls {
  readonly #table: Database<string, Uint8Array>;
  readonly #prefix: Uint8Array;
  /** By number, as far as they are there for good: those of a running transaction may yet be undone. */
  #settled: readonly string[];

  /** @param prefix of the destination, before every key */
  constructor(table: Database<string, Uint8Array>, prefix: Uint8Array) {
    this.#table = table;
    this.#prefix = prefix;
    this.#settled = this.all();
  }

  /** By number; inside a transaction, with those that it has added. */
  all(): string[] {
    const range = { start: this.#keyOf(0), end: this.#keyOf(0xffff) };
    return [...this.#table.getRange(range).map(({ value }) => value)];
  }

  numberOf(url: string): number | undefined {
    return this.settledNumberOf(url) ?? numberIn(this.all(), url);
  }

  /** Undefined for a URL whose number is not there for good. */
  settledNumberOf(url: string): number | undefined {
    return numberIn(this.#settled, url);
  }

  /** Called inside a transaction. */
  register(url: string): void {
    if (this.numberOf(url) === undefined) void this.#table.put(this.#keyOf(this.all().length), url);
  }

  /** To be called once what was registered is committed. */
  settle(): void {
    this.#settled = this.all();
  }

  /** A record has the numbers alone of those URLs that were there for good when it was written. */
  urlOf(number: number): string {
    if (number >= this.#settled.length) this.settle();
    const url = this.#settled[number];
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

function numberIn(urls: readonly string[], url: string): number | undefined {
  const number = urls.indexOf(url);
  return number < 0 ? undefined : number;
}
