/**
 * Returns the level that sizes are cut to so that they fit together. Sizes below the level are not cut. Returns Infinity if
 * everything fits.
 */
export function levelOf(sizes: readonly number[], room: number): number {
  const sorted = sizes.toSorted((one, other) => one - other);
  let left = room;
  for (const [index, size] of sorted.entries()) {
    const share = left / (sorted.length - index);
    if (size > share) return share;
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}
