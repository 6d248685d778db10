import { setImmediate } from 'node:timers/promises';

/** Acts on so many of them at a time, and gives all outcomes in their order. Other requests have their turn between two slices. */
export async function inSlices<T, R>(
  all: readonly T[],
  size: number,
  act: (slice: readonly T[]) => Promise<readonly R[]>,
): Promise<R[]> {
  const outcomes: R[] = [];
  for (let from = 0; from < all.length; from += size) {
    if (from > 0) await setImmediate();
    outcomes.push(...(await act(all.slice(from, from + size))));
  }
  return outcomes;
}
