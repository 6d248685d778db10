/** The newest entries of one kind, and those that pass the filter. Oldest first. */
export class Log<E> {
  readonly #capacity: number;
  #entries: E[] = [];
  #visible: E[] = [];
  #filter: (entry: E) => boolean = () => true;
  #total = 0;
  #shown = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** How many came since the log was cleared. */
  get total(): number {
    return this.#total;
  }

  get size(): number {
    return this.#entries.length;
  }

  /** How many came and were visible, since the log was cleared. */
  get shown(): number {
    return this.#shown;
  }

  get visible(): readonly E[] {
    return this.#visible;
  }

  /** The newest that is meant, visible or not. */
  find(isMeant: (entry: E) => boolean): E | undefined {
    return this.#entries.findLast(isMeant);
  }

  /** Returns how many of the added are visible. */
  add(entries: readonly E[]): number {
    this.#total += entries.length;
    this.#entries.push(...entries);
    const shown = entries.filter(this.#filter);
    this.#visible.push(...shown);
    this.#shown += shown.length;
    this.#trim();
    return shown.length;
  }

  filter(filter: (entry: E) => boolean): void {
    this.#filter = filter;
    this.#visible = this.#entries.filter(filter);
  }

  clear(): void {
    this.#entries = [];
    this.#visible = [];
    this.#total = 0;
    this.#shown = 0;
  }

  #trim(): void {
    const dropped = this.#entries.splice(0, Math.max(0, this.#entries.length - this.#capacity));
    if (dropped.length === 0) return;
    // Both are in the same order, so dropped entries are first among the visible too.
    const gone = new Set(dropped);
    const first = this.#visible.findIndex((entry) => !gone.has(entry));
    this.#visible.splice(0, first === -1 ? this.#visible.length : first);
  }
}
