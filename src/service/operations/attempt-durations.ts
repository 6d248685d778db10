import { Histogram } from 'prom-client';

/** In seconds; an attempt takes as long as `requestTimeout`, up to a minute. */
const BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** How long attempts took, at all destinations together. */
export const attemptDurations = (): Histogram =>
  new Histogram({
    name: 'eventferry_attempt_duration_seconds',
    help: 'How long attempts took',
    buckets: BUCKETS,
    registers: [],
  });
