import type { KeyValueStore } from '../../store/key-value-store.js';
import { Pager } from './pager.js';

/** The number of entries that are held of all runs together, and the most and the fewest of one run. */
const HELD = 40_000;
const [MOST_OF_ONE, LEAST_OF_ONE] = [1_000, 20] as const;

// Sorts after every place, all of which are printable ASCII.
export const AFTER_ALL = '\u007f';

/** The prefix of a run, so that runs are in the order in which they were written. */
export const runPrefix = (prefix: string, number: number): string =>
  `${prefix}${number.toString(36).padStart(6, '0')}/`;

/**
 * Reads several sorted lists as one that has each place once, with the value of the latest list. The lists are kept sorted by
 * their next place.
 */
export class MergedRuns {
  readonly #runs: Pager[];
  #last: string | undefined;

  private constructor(pagers: readonly Pager[]) {
    this.#runs = pagers.filter(({ place }) => place !== undefined).toSorted((a, b) => (precedes(a, b) ? -1 : 1));
  }

  /** The runs below a prefix, after a place. */
  static async open(keyValues: KeyValueStore, prefix: string, cursor: string | undefined): Promise<MergedRuns> {
    const prefixes: string[] = [];
    for (let after: string | undefined; ; after = (prefixes.at(-1) ?? '') + AFTER_ALL) {
      const [entry] = await keyValues.list(prefix, after, 1);
      if (entry === undefined) break;
      prefixes.push(entry.key.slice(0, entry.key.indexOf('/', prefix.length) + 1));
    }
    const pageSize = Math.max(LEAST_OF_ONE, Math.min(MOST_OF_ONE, Math.ceil(HELD / prefixes.length)));
    const pagers = prefixes.map((run) => new Pager(keyValues, run, cursor, pageSize));
    await Promise.all(pagers.map((pager) => pager.load()));
    return new MergedRuns(pagers);
  }

  /** True when `load` would change nothing. */
  get isLoaded(): boolean {
    return this.#runs[0]?.isLoaded ?? true;
  }

  async load(): Promise<void> {
    while (!this.isLoaded) {
      await this.#runs[0]?.load();
      this.#settle();
      this.#skipLast();
    }
  }

  /** The next place; undefined after the last one. */
  get place(): string | undefined {
    return this.#runs[0]?.place;
  }

  get value(): string {
    return this.#runs[0]?.value ?? '';
  }

  /** Moves to the next place when this is the one, and returns whether it was. */
  skipIf(place: string): boolean {
    if (this.place !== place) return false;
    this.#last = place;
    this.#skipLast();
    return true;
  }

  /** Moves every run past the last place. A run that must be loaded first is moved by `load`. */
  #skipLast(): void {
    for (let first = this.#runs[0]; first?.place !== undefined && first.place === this.#last; first = this.#runs[0]) {
      first.skipIf(first.place);
      if (!first.isLoaded) return;
      this.#settle();
    }
  }

  /** Puts the first run where it belongs now, or away when it is over. */
  #settle(): void {
    const first = this.#runs.shift();
    if (first === undefined || first.place === undefined) return;
    let [low, high] = [0, this.#runs.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (precedes(first, this.#runs[middle])) high = middle;
      else low = middle + 1;
    }
    this.#runs.splice(low, 0, first);
  }
}

const placeOf = (run: Pager | undefined): string => run?.place ?? AFTER_ALL;

/** If two runs are at the same place, the later one comes first and the other is skipped. */
function precedes(a: Pager, b: Pager | undefined): boolean {
  const [placeA, placeB] = [placeOf(a), placeOf(b)];
  return placeA === placeB ? a.prefix > (b?.prefix ?? '') : placeA < placeB;
}
