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
