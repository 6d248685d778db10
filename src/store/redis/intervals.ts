/** How often things are looked after that nothing calls for, in ms. */
export interface Intervals {
  /** A job belongs to its worker for so long, and again whenever the worker says it lives. */
  readonly lockMs: number;
  /** How often jobs are looked for whose worker is gone. */
  readonly stalledMs: number;
  /** How often deliveries are looked for that have no job; by one process at a time. */
  readonly sweepMs: number;
  /** How often each process counts what waits. */
  readonly countMs: number;
  /** How long a delivery rests when Redis could not be read or written. */
  readonly restMs: number;
}

/** Deliveries that a killed process was making go out again after at most `lockMs` and twice `stalledMs`. */
export const INTERVALS: Intervals = {
  lockMs: 20_000,
  stalledMs: 10_000,
  sweepMs: 15_000,
  countMs: 5_000,
  restMs: 5_000,
};
