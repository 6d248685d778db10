/** Time, as everything in this folder is given it. */
export interface Clock {
  /** Milliseconds since 1970, on a clock that never jumps while the process runs. */
  now(): number;
  /** What the machine's clock says, for those who compare with theirs. */
  wall(): number;
  /** Calls back once, `ms` from now, unless the returned function is called first. Does not keep the process alive. */
  after(ms: number, callback: () => void): () => void;
}

/**
 * Reads the machine's clock once and counts on from there: setting the clock makes nothing due, late or over. What is
 * stored is time since 1970 all the same, so a restart goes by the machine's clock as it then is.
 */
export function steadyClock(): Clock {
  const startMs = Date.now() - performance.now();
  return {
    now: () => Math.floor(startMs + performance.now()),
    wall: () => Date.now(),
    after(ms, callback) {
      const timer = setTimeout(callback, ms);
      timer.unref();
      return () => clearTimeout(timer);
    },
  };
}
