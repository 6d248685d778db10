/** The same act, done once for all callers that ask for it while it runs. */
export function singleFlight<T>(act: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= act().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** The same for an act that reads: it begins after all callers that share it have asked. */
export function nextFlight<T>(act: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    next ??= last.then(() => {
      next = undefined;
      const read = act();
      last = read.catch(() => {});
      return read;
    });
    return next;
  };
}
