const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/**
 * The pause after the nth failure in a row, in milliseconds: anything from nothing to 0.5 s × 2ⁿ⁻¹, at most 30 s. The
 * whole range is drawn from (full jitter), so that many clients which failed together do not come back together.
 *
 * @param chance a number from 0 up to but without 1
 */
export function backoffMs(failures: number, chance: number): number {
  return chance * Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
}
