/**
 * How many deliveries one script looks after at most. Redis does nothing else meanwhile, and each costs it 5 to 7 µs, so that no script
 * takes longer than about a millisecond.
 */
export const MOST_DELIVERIES = 125;

/** How many messages and deliveries one script takes in at most: with a body, each costs about 9 µs. */
export const MOST_TAKEN_IN = 100;

/** The same list in parts of which each is short enough for one script. */
export function partsOf<T>(items: readonly T[], most: number = MOST_DELIVERIES): (readonly T[])[] {
  const parts: (readonly T[])[] = [];
  for (let from = 0; from < items.length; from += most) parts.push(items.slice(from, from + most));
  return parts;
}
