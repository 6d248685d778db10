/** Intervals of the background work, in ms. */
export interface Intervals {
  /** The length of a lease. A process renews the leases of attempts that still run. */
  readonly leaseMs: number;
  /** The longest time between two looks for deliveries that have become due. */
  readonly lookMs: number;
  /** When these looks are unanswered for this long, the process counts as unable to deliver. */
  readonly silentMs: number;
  /** Each process counts the waiting deliveries this often. */
  readonly countMs: number;
  /** Expired deliveries are looked for this often while none goes out, and one process has that job for so long. */
  readonly overseeMs: number;
  /** A line pauses this long after Redis could not be read or written. */
  readonly restMs: number;
}

/** When a process is killed, its deliveries go out again within `leaseMs` plus `lookMs`. */
export const INTERVALS: Intervals = {
  leaseMs: 20_000,
  lookMs: 1_000,
  silentMs: 60_000,
  countMs: 5_000,
  overseeMs: 15_000,
  restMs: 5_000,
};
