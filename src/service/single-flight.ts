/** The same act, done once for all callers that ask for it while it runs. */
export function singleFlight<T>(act: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () => {
    underWay ??= act().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}
