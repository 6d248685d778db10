/**
 * The level that sizes are cut to, so that together they fit into the room: what is below it gives up nothing to what is larger.
 * Infinity when everything fits.
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
