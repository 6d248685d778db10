/** Keeps the newest entries of one kind, newest first. */
export class EntryLog<E> {
  /** The number of entries that were added since the log was cleared. */
  total = 0;
  /** The kept entries. Adding makes a new list. */
  entries: readonly E[] = [];
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Adds entries, given oldest first. */
  add(entries: readonly E[]): void {
    if (entries.length === 0) return;
    this.total += entries.length;
    this.entries = [...[...entries].reverse(), ...this.entries].slice(0, this.#capacity);
  }

  clear(): void {
    this.total = 0;
    this.entries = [];
  }
}
