/** The outcome of a row. */
export type Outcome =
  | { readonly kind: 'delivered' }
  /** The row is not a valid message, or the collector refuses it by itself. */
  | { readonly kind: 'rejected'; readonly reason: string };

interface Entry<T> {
  readonly value: T;
  outcome: Outcome | undefined;
}

/**
 * Holds the rows that were read until they leave in order. A row leaves when it and every row before it have an
 * outcome, so a checkpoint at the last row that left covers all before it.
 */
export class ReorderBuffer<T> {
  readonly #onPassed: (value: T, outcome: Outcome) => void;
  #entries: (Entry<T> | undefined)[] = [];
  #first = 0;

  constructor(onPassed: (value: T, outcome: Outcome) => void) {
    this.#onPassed = onPassed;
  }

  get size(): number {
    return this.#entries.length - this.#first;
  }

  /** Adds the next row, which already has its outcome. */
  pass(value: T, outcome: Outcome): void {
    if (this.size === 0) this.#onPassed(value, outcome);
    else this.#entries.push({ value, outcome });
  }

  /** Adds the next row. Call the returned function once, with its outcome. */
  enter(value: T): (outcome: Outcome) => void {
    const entry: Entry<T> = { value, outcome: undefined };
    this.#entries.push(entry);
    return (outcome) => {
      entry.outcome = outcome;
      this.#advance();
    };
  }

  #advance(): void {
    for (let entry = this.#entries[this.#first]; entry?.outcome !== undefined; entry = this.#entries[this.#first]) {
      // A row that has left is freed now, not only when the list is cut.
      this.#entries[this.#first++] = undefined;
      this.#onPassed(entry.value, entry.outcome);
    }
    // The list is cut only sometimes, because shifting each entry would move all the others every time.
    if (this.#first > 1_000 && this.#first * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#first);
      this.#first = 0;
    }
  }
}
