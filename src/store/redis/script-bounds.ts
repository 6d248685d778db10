/**
 * The most deliveries that one script handles. Redis does nothing else meanwhile; each costs 5 to 7 µs, so a script
 * takes about a millisecond at most.
 */
export const MOST_DELIVERIES = 125;

/** The most messages and deliveries that one script stores. With a body, each costs about 9 µs. */
export const MOST_TAKEN_IN = 100;

/** Splits a list into parts that are each short enough for one script. */
export function partsOf<T>(items: readonly T[], most: number = MOST_DELIVERIES): (readonly T[])[] {
  const parts: (readonly T[])[] = [];
  for (let from = 0; from < items.length; from += most) parts.push(items.slice(from, from + most));
  return parts;
}
