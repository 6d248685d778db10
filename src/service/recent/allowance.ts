import { messageIn } from '../../delivery/event-names.js';
import { levelOf } from './shares.js';

/** The approximate size of an attempt in a store, including its part of the indexes. */
const ATTEMPT_BYTES = 400;

const DAY_MS = 24 * 60 * 60_000;

/** Space that was not used within this time may be used at once. */
const STOCK_MS = 60 * 60_000;

/**
 * Limits how many attempts that succeeded at once a process keeps: in the long run, as many as fill the space within a day. Above
 * that limit it keeps only a sample, which saves the CPU time for the others.
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

/** Hashes an event id to a number in [0, 1). It is the same for all deliveries of a message, so all or none are kept. */
export function sampleOf(id: string): number {
  const message = messageIn(id);
  let hash = 0x811c9dc5;
  for (let at = 0; at < message.length; at++) hash = Math.imul(hash ^ message.charCodeAt(at), 0x01000193);
  // These steps also spread ids that differ only in their last character.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
