const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/**
 * Returns the pause after the nth failure in a row, in milliseconds: a random time from 0 to 0.5 s × 2ⁿ⁻¹, at most 30 s. The
 * whole range is used (full jitter), so that many clients that failed together do not return together.
 *
 * @param chance a random number in [0, 1)
 */
export function backoffMs(failures: number, chance: number): number {
  return chance * Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
}
