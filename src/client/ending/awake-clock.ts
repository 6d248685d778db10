import type { Clock } from '../../base/time/clock.js';

/** A timer that is so late was not kept by other work: the process was stopped. In milliseconds. */
const ASLEEP_MS = 1_000;

/** What came while the process was stopped is read within this time: it may be the answer that a timer would cut off. */
const READ_MS = 20;

/**
 * A clock that stood still while the process did: a platform freezes it between two requests, or the machine is suspended. What
 * may take so long, and no longer, was awake for so long. It learns of a sleep by a timer that was due in it; the sleep counts
 * from then on.
 */
export function awakeClock(clock: Clock): Clock {
  const timers = new Set<{ readonly dueAt: number }>();
  let asleepMs = 0;
  const now = (): number => {
    const time = clock.now();
    for (const { dueAt } of timers) if (time - asleepMs - dueAt >= ASLEEP_MS) asleepMs = time - dueAt;
    return time - asleepMs;
  };
  const after: Clock['after'] = (ms, act) => {
    const timer = { dueAt: now() + ms };
    const asleepBefore = asleepMs;
    timers.add(timer);
    const end = (): void => {
      now();
      timers.delete(timer);
    };
    let cancel = clock.after(ms, () => {
      end();
      if (asleepMs === asleepBefore) act();
      else cancel = clock.after(READ_MS, act);
    });
    return () => {
      end();
      cancel();
    };
  };
  return { ...clock, now, after };
}
