/** Sequence numbers from the first up to, and without, the last. */
export type SequenceRange = readonly [from: number, to: number];

/** Calls `end` once messages that were given up have their dead letters: until then the next process would send them again. */
export type EndLater = (end: () => void) => void;

/** Sequence numbers of messages that have ended: all below `low`, and some ranges above it, as requests may overtake each other. */
export class SequenceSet {
  #low: number;
  /** They are in order, and touch neither each other nor `low`. */
  readonly #ranges: SequenceRange[];

  constructor(low = 0, ranges: readonly SequenceRange[] = []) {
    this.#low = low;
    this.#ranges = [...ranges];
  }

  get low(): number {
    return this.#low;
  }

  get ranges(): readonly SequenceRange[] {
    return this.#ranges;
  }

  has(sequence: number): boolean {
    return this.covers(sequence, sequence + 1);
  }

  /** True when it has every number from `from` up to, and without, `to`. */
  covers(from: number, to: number): boolean {
    const first = Math.max(from, this.#low);
    if (first >= to) return true;
    const range = this.#ranges[this.#firstReaching(first + 1)];
    return range !== undefined && range[0] <= first && to <= range[1];
  }

  add(from: number, to: number): void {
    if (to <= from) return;
    const first = this.#firstReaching(from);
    let after = first;
    let [start, end] = [from, to];
    for (let range = this.#ranges[after]; range !== undefined && range[0] <= to; range = this.#ranges[++after]) {
      [start, end] = [Math.min(start, range[0]), Math.max(end, range[1])];
    }
    if (start > this.#low) {
      this.#ranges.splice(first, after - first, [start, end]);
      return;
    }
    this.#ranges.splice(0, after);
    this.#low = Math.max(this.#low, end);
  }

  /** The index of the first range that ends at `sequence` or later. */
  #firstReaching(sequence: number): number {
    let [low, high] = [0, this.#ranges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ranges[middle]?.[1] ?? 0) < sequence) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
