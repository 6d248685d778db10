import { levelOf } from './shares.js';

/** The approximate size of an attempt in a store, including its part of the indexes. */
const ATTEMPT_BYTES = 400;

const DAY_MS = 24 * 60 * 60_000;

/** Space that was not used within this time may be used at once. */
const STOCK_MS = 60 * 60_000;

/**
 * Limits how many attempts that succeeded at once a process keeps: in the long run, as many as fill the space within a day. This
 * saves the CPU time for the others, which would be removed again soon.
 */
export class Allowance {
  #left = 0;
  #at = Number.NEGATIVE_INFINITY;

  /** Returns the maximum number of successes to keep for each destination. `succeeded` has each one's number of new successes. */
  levelOf(succeeded: readonly number[], maxBytes: number, now: number): number {
    const perMs = maxBytes / ATTEMPT_BYTES / DAY_MS;
    this.#left = Math.min(this.#left + Math.min(now - this.#at, STOCK_MS) * perMs, STOCK_MS * perMs);
    this.#at = now;
    const level = levelOf(succeeded, this.#left);
    for (const count of succeeded) this.#left -= Math.min(count, level);
    return level;
  }
}
