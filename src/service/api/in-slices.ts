import { setImmediate } from 'node:timers/promises';

/** Acts on `size` items at a time and returns all results in order. Other requests get a turn between two slices. */
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
