const DAY_MS = 86_400_000;

/** The most characters that a time can have: nine decimals of a second, a space and an offset. */
const LONGEST = 40;

const APART = / ?(?:UTC|GMT)$| (?=(?:[Zz]|[+-][\d:]+)$)/;
const LEAP_SECOND = /^(.{16}):60/;
const TWENTY_FOUR = /^(.{11})24(?=:00(?::00(?:[.,]0+)?)?(?:[Zz+-]|$))/;

/**
 * Reads rare forms of times that `parse` has refused: with a separate zone (`09:30:00 -0700`, `… UTC`), with a leap second, which
 * counts as the first second of the next day, as in POSIX, and with 24:00, the midnight at the end of a day. Returns NaN for
 * anything else.
 */
export function parseOddTime(text: string, parse: (text: string) => number): number {
  if (text.length > LONGEST) return Number.NaN;
  const joined = text.replace(APART, (zone) => (zone === ' ' ? '' : 'Z'));
  if (LEAP_SECOND.test(joined)) {
    const ms = parse(joined.replace(LEAP_SECOND, '$1:59')) + 1000;
    return ms - Math.floor(ms / DAY_MS) * DAY_MS < 1000 ? ms : Number.NaN;
  }
  if (TWENTY_FOUR.test(joined)) return parse(joined.replace(TWENTY_FOUR, '$100')) + DAY_MS;
  return joined === text ? Number.NaN : parse(joined);
}
