export const sorted = (values) => [...values].sort((a, b) => a - b);

export function median(values) {
  const ordered = sorted(values);
  const middle = Math.floor(ordered.length / 2);
  return ordered.length % 2 === 1 ? ordered[middle] : (ordered[middle - 1] + ordered[middle]) / 2;
}

/**
 * The median of what the rounds say of `a` against `b`. Round by round, because a machine that is busy for a while is busy
 * for both.
 */
export const medianRatio = (as, bs) => median(as.map((a, round) => a / bs[round]));

/** Runs `measure` on every row, then on every row again: `results.get(row)` has one result a round. */
export async function inRounds(rows, rounds, measure, onProgress = () => {}) {
  const results = new Map(rows.map((row) => [row, []]));
  for (let round = 0; round < rounds; round++) {
    // Every other round backwards, so that nobody always comes after the same neighbour.
    for (const row of round % 2 === 0 ? rows : rows.toReversed()) {
      onProgress(row, round);
      results.get(row).push(await measure(row, round));
    }
  }
  return results;
}
