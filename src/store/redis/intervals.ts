/** Intervals of the background work, in ms. */
export interface Intervals {
  /** The length of a lease. A process renews the leases of attempts that are still running. */
  readonly leaseMs: number;
  /** The longest time between two checks for deliveries that have become due. */
  readonly lookMs: number;
  /** When these checks have been unanswered for this long, the process counts as unable to deliver. */
  readonly silentMs: number;
  /** How often each process counts the waiting deliveries. */
  readonly countMs: number;
  /** How long one process has the task to end expired deliveries of a line. */
  readonly overseeMs: number;
}

/** When a process is killed, its deliveries are sent again within `leaseMs` plus `lookMs`. */
export const INTERVALS: Intervals = {
  leaseMs: 20_000,
  lookMs: 1_000,
  silentMs: 60_000,
  countMs: 5_000,
  overseeMs: 15_000,
};
