import { after } from '../platform/node.js';

/** A source of time. Each part of the package gets its clock from its caller, so that a test can pass its own. */
export interface Clock {
  /** Milliseconds since 1970 by the machine's clock, which may jump; comparable with other machines' times. */
  wall(): number;
  /** Milliseconds since 1970, in whole numbers, on a clock that never jumps while the process runs. */
  now(): number;
  /** Calls `act` once, after `ms` milliseconds. Does not keep the process alive. Returns a function that cancels the call. */
  after(ms: number, act: () => void): () => void;
  /** Keeps the process alive until the returned function is called, for as long as a caller waits for a result. */
  hold(): () => void;
}

/** The longest time that a Node timer can be set to: about 24 days. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Returns a clock that reads the machine's clock once and counts on from there, so a change of the machine's clock makes nothing
 * due, late or expired. Stored times still count from 1970, so a restarted process starts from the machine's clock at that
 * moment.
 *
 * @param behindMs how many milliseconds the machine's clock is behind the clock to follow
 */
export function systemClock(behindMs = 0): Clock {
  const startMs = Date.now() - performance.now() + behindMs;
  return {
    wall: () => Date.now() + behindMs,
    now: () => Math.floor(startMs + performance.now()),
    after,
    hold() {
      const timer = setInterval(() => {}, LONGEST_TIMER_MS);
      return () => clearInterval(timer);
    },
  };
}

/** A timer that is this many milliseconds late was not delayed by other work: the process was suspended. */
const ASLEEP_MS = 1_000;

/** A process that was suspended gets this many ms to read what arrived meanwhile, such as the answer that a timer waits for. */
const READ_MS = 20;

interface Timer {
  readonly dueAt: number;
}

/**
 * Returns a clock that stops while the process is suspended, because a platform freezes it between two requests or the machine
 * sleeps. A time limit on it counts only the time during which the process ran. The clock detects a suspension by a timer that
 * became due during it, and subtracts that time from then on.
 */
export function awakeClock(clock: Clock): Clock {
  const timers = new Set<Timer>();
  let asleepMs = 0;
  const now = (): number => {
    const time = clock.now();
    for (const { dueAt } of timers) if (time - asleepMs - dueAt >= ASLEEP_MS) asleepMs = time - dueAt;
    return time - asleepMs;
  };
  const end = (timer: Timer): void => {
    now();
    timers.delete(timer);
  };
  const after: Clock['after'] = (ms, act) => {
    const timer = { dueAt: now() + ms };
    const asleepBefore = asleepMs;
    timers.add(timer);
    let cancel = clock.after(ms, () => {
      end(timer);
      if (asleepMs === asleepBefore) act();
      else cancel = clock.after(READ_MS, act);
    });
    return () => {
      end(timer);
      cancel();
    };
  };
  return { ...clock, now, after };
}

/** Resolves with true if `work` finishes within `ms` milliseconds, otherwise with false. Rejects if `work` rejects by then. */
export function within(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    work.then(() => resolve(true), reject).finally(clock.after(ms, () => resolve(false)));
  });
}
