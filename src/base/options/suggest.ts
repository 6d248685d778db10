import leven from 'leven';

/** The longest name that is compared. Longer names take too long to compare and are unlikely to be misspelt. */
const LONGEST_COMPARED = 100;

/** Returns a hint to append to the description of an unknown name; an empty string if no known name resembles it. */
export function didYouMean(given: string, names: readonly string[]): string {
  const meant = suggest(given, names);
  return meant === undefined ? '' : `; did you mean ${meant}?`;
}

/** Returns the name that was most likely meant, if one is similar enough. */
export function suggest(given: string, names: readonly string[]): string | undefined {
  if (given.length > LONGEST_COMPARED) return undefined;
  const most = Math.max(1, Math.floor(given.length / 3));
  const [best] = names
    .map((name) => ({ name, slips: slipsBetween(given.toLowerCase(), name.toLowerCase()) }))
    .sort((one, other) => one.slips - other.slips);
  return best !== undefined && best.slips <= most ? best.name : undefined;
}

/** Counts two swapped letters as one typing mistake, although they are two edits. */
function slipsBetween(one: string, other: string): number {
  const edits = leven(one, other);
  return edits === 2 && sorted(one) === sorted(other) ? 1 : edits;
}

const sorted = (text: string): string => [...text].sort().join('');
