/** The same act, done once for all who ask for it while it is under way. */
export function singleFlight<T>(act: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () => {
    underWay ??= act().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}
