import type { Clock } from '../../base/time/clock.js';

/** Things are counted this long before one line tells of them, in ms, and twice as long each time while they go on. */
const GATHER_MS = 10_000;
const MOST_GATHER_MS = 600_000;

/** Calls `tell` after ten seconds, and later and later, until it says that there was nothing to tell. */
export function gather(clock: Clock, tell: () => boolean, ms = GATHER_MS): void {
  clock.after(ms, () => {
    if (tell()) gather(clock, tell, Math.min(2 * ms, MOST_GATHER_MS));
  });
}
