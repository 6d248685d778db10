/** How a row ended. */
export type Outcome =
  | { readonly kind: 'delivered' }
  /** The row is not a valid message, or the collector refuses it by itself. */
  | { readonly kind: 'rejected'; readonly reason: string };

interface Entry<T> {
  readonly value: T;
  outcome: Outcome | undefined;
}

/**
 * The rows that are read and whose end is not known yet. However they end, they leave from the first: a row that has left
 * has ended, and so has every row before it, which is what a checkpoint may say.
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

  /** Takes the next row, which has ended already. */
  pass(value: T, outcome: Outcome): void {
    if (this.size === 0) this.#onPassed(value, outcome);
    else this.#entries.push({ value, outcome });
  }

  /** Takes the next row. Call what is returned, once, when it ends. */
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
      // What has left must not stay in memory until it is cut off.
      this.#entries[this.#first++] = undefined;
      this.#onPassed(entry.value, entry.outcome);
    }
    // Cut off now and then: to shift each one would move all the others each time.
    if (this.#first > 1_000 && this.#first * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#first);
      this.#first = 0;
    }
  }
}
