import type { Clock } from '../../base/time/clock.js';

/** How long things are counted before one line reports them, in ms. The time doubles while they continue, up to the maximum. */
const GATHER_MS = 10_000;
const MOST_GATHER_MS = 600_000;

/** Calls `tell` after ten seconds, and then at growing intervals until it returns false. */
export function gather(clock: Clock, tell: () => boolean, ms = GATHER_MS): void {
  clock.after(ms, () => {
    if (tell()) gather(clock, tell, Math.min(2 * ms, MOST_GATHER_MS));
  });
}
