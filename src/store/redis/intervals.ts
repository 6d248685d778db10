/** How often things are looked after that nothing calls for, in ms. */
export interface Intervals {
  /** What a process claims is its alone for so long, and again whenever the process says it lives. */
  readonly leaseMs: number;
  /** How often it is looked at least what has come up. */
  readonly lookMs: number;
  /** For how long it may go unanswered what has come up, before this process is of no use to deliver. */
  readonly silentMs: number;
  /** How often each process counts what waits. */
  readonly countMs: number;
  /** How often it is looked for what has outlived its window while nothing goes out; and for how long one process does so. */
  readonly overseeMs: number;
  /** How long a line rests when Redis could not be read or written. */
  readonly restMs: number;
}

/** Deliveries that a killed process was making go out again after `leaseMs` and `lookMs`. */
export const INTERVALS: Intervals = {
  leaseMs: 20_000,
  lookMs: 1_000,
  silentMs: 60_000,
  countMs: 5_000,
  overseeMs: 15_000,
  restMs: 5_000,
};
