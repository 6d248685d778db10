/**
 * The most weight of one script, about that of so many deliveries at 5 to 8 µs each, because Redis does nothing else in that time.
 * With a quarter of it, 100 destinations cost Redis half as much again, because a script repeats some work for each line.
 */
export const MOST_DELIVERIES = 500;

/** So many bytes weigh as much as a delivery, so that no script reads or writes more than a few megabytes. */
export const BYTES_A_DELIVERY = 8_192;

/** Splits a list into parts that are each short enough for one script. */
export function partsOf<T>(items: readonly T[], most: number = MOST_DELIVERIES): (readonly T[])[] {
  const parts: (readonly T[])[] = [];
  for (let from = 0; from < items.length; from += most) parts.push(items.slice(from, from + most));
  return parts;
}

/**
 * Splits a list into parts of at most this weight. An item that weighs more is in a part of its own.
 *
 * @param weightOf is given the item before it in its part
 */
export function partsByWeight<T>(
  items: readonly T[],
  most: number,
  weightOf: (item: T, before: T | undefined) => number,
): T[][] {
  const parts: T[][] = [];
  let room = 0;
  for (const item of items) {
    const weight = weightOf(item, parts.at(-1)?.at(-1));
    if (weight <= room) {
      parts.at(-1)?.push(item);
      room -= weight;
    } else {
      parts.push([item]);
      room = most - weightOf(item, undefined);
    }
  }
  return parts;
}
