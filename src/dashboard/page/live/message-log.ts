/** Keeps the newest entries of one kind, newest first, and finds those that match the filter. */
export class EntryLog<E> {
  /** The number of entries that were added since the log was cleared. */
  total = 0;
  /** The number of visible entries that were added since the log was cleared. */
  shown = 0;
  readonly #capacity: number;
  #entries: readonly E[] = [];
  #visible: readonly E[] | undefined;
  #filter: (entry: E) => boolean = () => true;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#entries.length;
  }

  get visible(): readonly E[] {
    this.#visible ??= this.#entries.filter(this.#filter);
    return this.#visible;
  }

  /** Finds the newest entry for which `isMeant` is true, visible or not. */
  find(isMeant: (entry: E) => boolean): E | undefined {
    return this.#entries.find(isMeant);
  }

  /** Adds entries, given oldest first. */
  add(entries: readonly E[]): void {
    this.total += entries.length;
    this.shown += entries.filter(this.#filter).length;
    this.#entries = [...[...entries].reverse(), ...this.#entries].slice(0, this.#capacity);
    this.#visible = undefined;
  }

  filter(filter: (entry: E) => boolean): void {
    this.#filter = filter;
    this.#visible = undefined;
  }

  clear(): void {
    this.total = 0;
    this.shown = 0;
    this.#entries = [];
    this.#visible = undefined;
  }
}
