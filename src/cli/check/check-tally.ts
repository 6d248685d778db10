/** One line of the summary. */
export interface Count {
  /** The name of a track event, or the type of any other message; empty if there is neither. */
  readonly event: string;
  readonly path: string;
  readonly reason: string;
  count: number;
}

/** The most distinct counts, because a file may have as many different names as rows. */
const MOST_COUNTS = 1_000;
const OTHERS = '(other)';

/** Counts violations of the same kind, in bounded memory. */
export class ViolationTally {
  total = 0;
  readonly #counts = new Map<string, Count>();

  add({ event, path, reason }: Omit<Count, 'count'>): void {
    this.total++;
    const key = JSON.stringify([event, path, reason]);
    const found = this.#counts.get(key);
    if (found !== undefined) found.count++;
    else if (this.#counts.size < MOST_COUNTS || event === OTHERS)
      this.#counts.set(key, { event, path, reason, count: 1 });
    else {
      this.total--;
      this.add({ event: OTHERS, path: '', reason });
    }
  }

  /** Returns the counts, the most frequent first. */
  counts(): Count[] {
    return [...this.#counts.values()].toSorted((one, other) => other.count - one.count);
  }
}
