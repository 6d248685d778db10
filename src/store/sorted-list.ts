const MOST_IN_RUN = 512;

/**
 * A sorted list for many items. It consists of runs of a few hundred items, so that adding or deleting one moves only its run. No
 * two items compare as equal.
 */
export class SortedList<T> {
  readonly #compare: (a: T, b: T) => number;
  // No run is empty.
  readonly #runs: T[][] = [];
  #size = 0;

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#size;
  }

  get first(): T | undefined {
    return this.#runs[0]?.[0];
  }

  get last(): T | undefined {
    return this.#runs.at(-1)?.at(-1);
  }

  /** Adds the item, replacing one that compares as equal. */
  add(item: T): void {
    const run = this.#runs[this.#runFor(item)];
    if (run === undefined) {
      this.#append(item);
      return;
    }
    const at = this.#placeIn(run, item);
    const there = run[at];
    if (there !== undefined && this.#compare(there, item) === 0) {
      run[at] = item;
      return;
    }
    run.splice(at, 0, item);
    this.#size++;
    if (run.length > MOST_IN_RUN) this.#split(run);
  }

  /** Deletes the item that compares as equal. Returns false if there is none. */
  delete(item: T): boolean {
    const index = this.#runFor(item);
    const run = this.#runs[index];
    if (run === undefined) return false;
    const at = this.#placeIn(run, item);
    const there = run[at];
    if (there === undefined || this.#compare(there, item) !== 0) return false;
    run.splice(at, 1);
    this.#forget(index, run);
    return true;
  }

  shift(): T | undefined {
    const run = this.#runs[0];
    const item = run?.shift();
    if (run !== undefined) this.#forget(0, run);
    return item;
  }

  pop(): T | undefined {
    const run = this.#runs.at(-1);
    const item = run?.pop();
    if (run !== undefined) this.#forget(this.#runs.length - 1, run);
    return item;
  }

  /** Yields the items after this one, which need not be in the list itself. */
  *after(item: T | undefined): Generator<T, void, undefined> {
    let index = item === undefined ? 0 : this.#runFor(item);
    for (let run = this.#runs[index]; run !== undefined; run = this.#runs[++index]) {
      for (const other of run) if (item === undefined || this.#compare(other, item) > 0) yield other;
    }
  }

  /** Returns the index of the first run that ends at or after the item; past the last run if there is none. */
  #runFor(item: T): number {
    let low = 0;
    let high = this.#runs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const last = this.#runs[middle]?.at(-1);
      if (last !== undefined && this.#compare(last, item) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #placeIn(run: readonly T[], item: T): number {
    let low = 0;
    let high = run.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const there = run[middle];
      if (there !== undefined && this.#compare(there, item) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #append(item: T): void {
    const last = this.#runs.at(-1);
    if (last === undefined || last.length >= MOST_IN_RUN) this.#runs.push([item]);
    else last.push(item);
    this.#size++;
  }

  #split(run: T[]): void {
    this.#runs.splice(this.#runs.indexOf(run) + 1, 0, run.splice(run.length >>> 1));
  }

  #forget(index: number, run: readonly T[]): void {
    this.#size--;
    if (run.length === 0) this.#runs.splice(index, 1);
  }
}
