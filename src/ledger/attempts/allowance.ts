import { levelOf } from './shares.js';

/** The approximate size of an attempt in a store, including its part of the indexes. */
const ATTEMPT_BYTES = 400;

const DAY_MS = 24 * 60 * 60_000;

/** Unused allowance of this time, in ms, is saved up. After a pause that many successes may be kept in one second. */
const STOCK_MS = 60 * 60_000;

/**
 * Limits how many deliveries that succeeded at the first attempt a process keeps: in the long run, as many as fill the space within
 * a day. Keeping more would cost CPU time, and they would soon be removed again.
 */
export class Allowance {
  #left = 0;
  #at = Number.NEGATIVE_INFINITY;

  /**
   * Returns the maximum number of successes to keep for each destination. It may be 0 for a few seconds, while the allowance of many
   * destinations adds up. `succeeded` has each one's number of new successes.
   */
  levelOf(succeeded: readonly number[], maxBytes: number, now: number): number {
    const perMs = maxBytes / ATTEMPT_BYTES / DAY_MS;
    this.#left = Math.min(this.#left + Math.min(now - this.#at, STOCK_MS) * perMs, STOCK_MS * perMs);
    this.#at = now;
    const level = Math.floor(levelOf(succeeded, this.#left));
    for (const count of succeeded) this.#left -= Math.min(count, level);
    return level;
  }
}
