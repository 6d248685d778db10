/** Time, as it is handed to whatever needs it, so that a test can hand in its own. */
export interface Clock {
  /** Milliseconds since 1970, as the machine's clock has it: it may jump. */
  now(): number;
  /** Milliseconds since some moment: it never goes back. */
  elapsed(): number;
  /** Calls `act` once, after `ms`. Does not keep the process alive. Returns what cancels it. */
  after(ms: number, act: () => void): () => void;
  /** Keeps the process alive until what it returns is called: for as long as somebody waits for us. */
  hold(): () => void;
}

/** The longest time a timer of Node's can be set to: about 24 days. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
  hold() {
    const timer = setInterval(() => {}, LONGEST_TIMER_MS);
    return () => clearInterval(timer);
  },
};
