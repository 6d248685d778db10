import type { Entry, KeyValueStore } from '../../store/key-value-store.js';

/** The entries of a prefix after a place, read page by page. */
export class Pager {
  readonly #keyValues: KeyValueStore;
  readonly prefix: string;
  readonly #pageSize: number;
  #page: readonly Entry[] = [];
  #index = 0;
  #after: string | undefined;
  #isLast = false;

  constructor(keyValues: KeyValueStore, prefix: string, cursor: string | undefined, pageSize: number) {
    this.#keyValues = keyValues;
    this.prefix = prefix;
    this.#pageSize = pageSize;
    this.#after = cursor === undefined ? undefined : prefix + cursor;
  }

  /** True when `load` would change nothing. */
  get isLoaded(): boolean {
    return this.#index < this.#page.length || this.#isLast;
  }

  /** Reads the next page when this one is used up. */
  async load(): Promise<void> {
    if (this.isLoaded) return;
    this.#page = await this.#keyValues.list(this.prefix, this.#after, this.#pageSize);
    this.#index = 0;
    this.#after = this.#page.at(-1)?.key ?? this.#after;
    this.#isLast = this.#page.length < this.#pageSize;
  }

  /** The rest of the next key, after the prefix; undefined after the last entry. */
  get place(): string | undefined {
    return this.#page[this.#index]?.key.slice(this.prefix.length);
  }

  get value(): string {
    return this.#page[this.#index]?.value ?? '';
  }

  /** Moves to the next entry when this one is at the place, and returns whether it was. */
  skipIf(place: string): boolean {
    const isThere = this.place === place;
    if (isThere) this.#index++;
    return isThere;
  }
}
