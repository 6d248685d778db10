// What the numbers assume of the machines, and how much of them is used.
import { KEEP_MS } from '../../src/store/intake.js';

export interface Plan {
  /** What of a core is used; the rest is for bursts, and for the load of a neighbour that is gone. */
  readonly utilisation: number;
  /** The `maxmemory` of one Redis, in bytes. */
  readonly maxMemoryBytes: number;
  /** The `maxclients` of one Redis. */
  readonly maxClients: number;
  /** What the disk of one Redis writes, in bytes a second. */
  readonly diskBytesPerSecond: number;
  /** What the network of one Redis carries each way, in bits a second. */
  readonly networkBitsPerSecond: number;
  /** How long an endpoint takes to answer, in ms. */
  readonly answerMs: number;
  /** A destination's `concurrency`. */
  readonly concurrency: number;
  readonly outageMs: number;
  /** For how long a message id is remembered, in ms. */
  readonly idMs: number;
  /** What processes that do nothing may take of one Redis before the fleet is divided. */
  readonly idleShare: number;
}

const HOUR_MS = 60 * 60_000;

export const PLAN: Plan = {
  utilisation: 0.6,
  maxMemoryBytes: 64e9,
  maxClients: 10_000,
  diskBytesPerSecond: 250e6,
  networkBitsPerSecond: 10e9,
  answerMs: 20,
  concurrency: 64,
  outageMs: 4 * HOUR_MS,
  idMs: KEEP_MS,
  idleShare: 0.1,
};

/** From this share of `maxmemory` on, the service takes nothing new. */
export const USABLE_MEMORY = 0.9;

export const MICROSECONDS = 1e6;

/** Events a second, each for so many destinations. */
export interface Load {
  readonly events: number;
  readonly destinations: number;
}
