import { after } from '../platform/node.js';

/** Every part gets its clock from its caller, so that a test can pass its own. */
export interface Clock {
  /** Milliseconds since 1970, as the machine's clock has it: it may jump. For times that other machines compare with theirs. */
  wall(): number;
  /** Milliseconds since 1970, in whole numbers, on a clock that never jumps while the process runs. */
  now(): number;
  /** Calls `act` once, after `ms`. Does not keep the process alive. Returns what cancels it. */
  after(ms: number, act: () => void): () => void;
  /** Keeps the process alive until the returned function is called: for as long as a caller waits for a result. */
  hold(): () => void;
}

/** The longest time of a Node timer: about 24 days. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * A clock that reads the machine's once and counts on from there: setting the machine's clock makes nothing due, late or
 * over. Stored times count from 1970 all the same, so a restarted process follows the machine's clock of that moment.
 *
 * @param behindMs how far the machine's clock is behind the one to follow
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

/** A timer that is late by so many milliseconds was not delayed by other work: the process was stopped. */
const ASLEEP_MS = 1_000;

/** A process that was stopped gets this long to read what came meanwhile, because it may be the answer that a timer waits for. */
const READ_MS = 20;

interface Timer {
  readonly dueAt: number;
}

/**
 * A clock that stood still while the process did: a platform freezes it between two requests, or the machine is suspended. What
 * may take so long, and no longer, was awake for so long. It learns of a sleep by a timer that was due in it; the sleep counts
 * from then on.
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

/** Resolves with whether `work` is done within `ms`. Rejects when it does in that time. */
export function within(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    work.then(() => resolve(true), reject).finally(clock.after(ms, () => resolve(false)));
  });
}
