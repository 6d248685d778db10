/** From the first up to, and without, the last. */
export type SequenceRange = readonly [from: number, to: number];

/** Sequence numbers of messages that have ended: all below `low`, and some ranges above it, as requests may overtake each other. */
export class SequenceSet {
  #low: number;
  /** In order, apart from each other and from `low`. */
  #ranges: SequenceRange[];

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
    return sequence < this.#low || this.#ranges.some(([from, to]) => from <= sequence && sequence < to);
  }

  add(from: number, to: number): void {
    if (to <= from) return;
    const others: SequenceRange[] = [];
    let [first, end] = [from, to];
    for (const range of this.#ranges) {
      if (range[1] < first || range[0] > end) others.push(range);
      else [first, end] = [Math.min(first, range[0]), Math.max(end, range[1])];
    }
    if (first <= this.#low) this.#low = Math.max(this.#low, end);
    else others.push([first, end]);
    this.#ranges = others.filter((range) => range[1] > this.#low).sort((a, b) => a[0] - b[0]);
    this.#reachLow();
  }

  #reachLow(): void {
    for (let first = this.#ranges[0]; first !== undefined && first[0] <= this.#low; first = this.#ranges[0]) {
      this.#low = Math.max(this.#low, first[1]);
      this.#ranges.shift();
    }
  }
}
