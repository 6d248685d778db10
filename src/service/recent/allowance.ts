import { messageIn } from '../../delivery/event-names.js';
import { levelOf } from './shares.js';

/** An attempt takes about so many bytes in a store, with its part of the index. */
const ATTEMPT_BYTES = 400;

const DAY_MS = 24 * 60 * 60_000;

/** Room that was not used for up to so long may be used at once. */
const STOCK_MS = 60 * 60_000;

/**
 * Says how many attempts that succeeded at once a process keeps: in the long run, as many as fill the room within a day. Beyond that it keeps a
 * sample, and so saves the CPU of the rest.
 */
export class Allowance {
  #left = 0;
  #at = Number.NEGATIVE_INFINITY;

  /** Says how many are kept of each at the most, where so many of each have succeeded since the last call. */
  levelOf(succeeded: readonly number[], maxBytes: number, now: number): number {
    const perMs = maxBytes / ATTEMPT_BYTES / DAY_MS;
    this.#left = Math.min(this.#left + Math.min(now - this.#at, STOCK_MS) * perMs, STOCK_MS * perMs);
    this.#at = now;
    const level = levelOf(succeeded, this.#left);
    for (const count of succeeded) this.#left -= Math.min(count, level);
    return level;
  }
}

/**
 * Makes a number from 0 up to, but not, 1 of the message with that id: evenly spread, and the same at every destination, so that what is kept of a
 * message is kept of all its deliveries.
 */
export function sampleOf(id: string): number {
  const message = messageIn(id);
  let hash = 0x811c9dc5;
  for (let at = 0; at < message.length; at++) hash = Math.imul(hash ^ message.charCodeAt(at), 0x01000193);
  // Ids that differ in their last character only are far apart as well.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
