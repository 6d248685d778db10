// How long things took, many of them at a time.
export interface Delay {
  readonly ms: number;
  /** How many had it. */
  readonly count: number;
}

/** How long it took at most for each share of them: 0.99 is the p99. */
export function quantiles(delays: Delay[], shares: readonly number[]): number[] {
  const sorted = delays.sort((one, other) => one.ms - other.ms);
  const all = sorted.reduce((sum, { count }) => sum + count, 0);
  return shares.map((share) => {
    let left = all * share;
    for (const { ms, count } of sorted) {
      left -= count;
      if (left <= 0) return ms;
    }
    return 0;
  });
}
