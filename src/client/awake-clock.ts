import type { Clock } from '../clock.js';

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
  const dueAt = new Set<{ readonly at: number }>();
  let asleepMs = 0;
  const now = (): number => {
    const time = clock.now();
    for (const { at } of dueAt) if (time - asleepMs - at >= ASLEEP_MS) asleepMs = time - at;
    return time - asleepMs;
  };
  return {
    now,
    wall: () => clock.wall(),
    hold: () => clock.hold(),
    after(ms, act) {
      const due = { at: now() + ms };
      dueAt.add(due);
      const asleepBefore = asleepMs;
      const end = (): void => {
        now();
        dueAt.delete(due);
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
    },
  };
}
