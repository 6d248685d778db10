import { formatMs, isDate } from '../base/platform/node.js';
import { lookOfTime, parseIso } from './platform/node.js';

/** When something happened: a `Date`, an ISO 8601 string, or milliseconds since 1970-01-01T00:00:00Z. */
export type Timestamp = Date | string | number;

export const EXPECTED_TIMESTAMP =
  'a valid Date, an ISO 8601 time with Z or an offset, or milliseconds since 1970, within the years 0000 to 9999';

/** As seconds these are the years 2001 to 2099, but as milliseconds only weeks of 1970, so the caller means seconds. */
const LEAST_SECONDS = 1e9;
const MOST_SECONDS = Date.UTC(2100, 0) / 1000;

const isSeconds = (value: unknown): boolean =>
  typeof value === 'number' && value >= LEAST_SECONDS && value < MOST_SECONDS;

const EARLIEST_MS = Date.parse('0000-01-01T00:00:00.000Z');
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** Explains to a caller what a timestamp should be when one is wrong, and how to convert the given value. */
export function expectedTimestamp(value: unknown): string {
  if (isSeconds(value)) return 'milliseconds since 1970, and these look like seconds: multiply by 1000';
  if (Number.isFinite(value) && Number(value) > LATEST_MS)
    return 'milliseconds since 1970, and these look like microseconds or nanoseconds: divide by 1e3 or 1e6';
  const seen = lookOfTime(value);
  return seen === undefined ? EXPECTED_TIMESTAMP : `an ISO 8601 time or a Date, and this looks like ${seen}`;
}

/**
 * Reads a time from a program, strictly. Returns the time in the form that is sent (UTC, milliseconds), or undefined if it is
 * invalid. A time without `Z` or an offset is refused, because it would be a different time on another machine. A date alone is
 * midnight UTC, as in ECMAScript. `2019-05-01 09:30:00 -0700` and `… UTC`, as written by databases and Ruby, are accepted too.
 */
export function toIso(value: unknown): string | undefined {
  if (typeof value === 'string') return isoOf(value, parseIso(value, true));
  if (typeof value === 'number') return isSeconds(value) ? undefined : isoOf(value, value);
  // Calls the prototype's own getTime, because a subclass may have replaced it.
  if (isDate(value)) return isoOf(value, Date.prototype.getTime.call(value));
  return undefined;
}

/** Tells whether a value is a text that the strict reading accepts as a time. */
export const isTime = (value: unknown): boolean => typeof value === 'string' && isWritable(parseIso(value, true));

const isoOf = (value: unknown, ms: number): string | undefined => (isWritable(ms) ? writeTime(value, ms) : undefined);

/**
 * Reads a time from any client, leniently. Returns it in milliseconds since 1970, or NaN if it is invalid. A time without a zone
 * is UTC, and a number is always milliseconds.
 */
export function parseTime(value: unknown): number {
  const ms =
    typeof value === 'string' ? parseIso(value, false) : typeof value === 'number' ? Math.trunc(value) : Number.NaN;
  return isWritable(ms) ? ms : Number.NaN;
}

/** Tells whether the year of a time has four digits. */
export const isWritable = (ms: number): boolean => ms >= EARLIEST_MS && ms <= LATEST_MS;

/** Formats a time as it is sent. Often the original value already has that form and is reused. */
export const writeTime = (value: unknown, ms: number): string =>
  typeof value === 'string' && isWritten(value) ? value : formatMs(ms);

/** Tells whether the text of a time has the form that `formatMs` writes, which has no hour 24 and no leap second. */
const isWritten = (text: string): boolean =>
  text.length === 24 &&
  text[10] === 'T' &&
  text[19] === '.' &&
  text[23] === 'Z' &&
  text[17] !== '6' &&
  !text.startsWith('24', 11);
