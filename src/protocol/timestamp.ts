import { formatMs, isDate } from '../base/platform/node.js';
import { lookOfTime, parseIso } from './platform/node.js';

/** The time at which something happened: a `Date`, an ISO 8601 string, or milliseconds since 1970-01-01T00:00:00Z. */
export type Timestamp = Date | string | number;

export const EXPECTED_TIMESTAMP =
  'a valid Date, an ISO 8601 time with Z or an offset, or milliseconds since 1970, within the years 0000 to 9999';

/** As seconds these are the years 2001 to 2099, as milliseconds some weeks of 1970, so the caller means seconds. */
const LEAST_SECONDS = 1e9;
const MOST_SECONDS = Date.UTC(2100, 0) / 1000;

const isSeconds = (value: unknown): boolean =>
  typeof value === 'number' && value >= LEAST_SECONDS && value < MOST_SECONDS;

const EARLIEST_MS = Date.parse('0000-01-01T00:00:00.000Z');
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** Describes to a caller what a timestamp should be, where one is wrong, and how to convert what was given. */
export function expectedTimestamp(value: unknown): string {
  if (isSeconds(value)) return 'milliseconds since 1970, and these look like seconds: multiply by 1000';
  if (Number.isFinite(value) && Number(value) > LATEST_MS)
    return 'milliseconds since 1970, and these look like microseconds or nanoseconds: divide by 1e3 or 1e6';
  const seen = lookOfTime(value);
  return seen === undefined ? EXPECTED_TIMESTAMP : `an ISO 8601 time or a Date, and this looks like ${seen}`;
}

/**
 * Reads a time that a program gives, strictly. Returns the moment as it is sent (UTC, milliseconds), or undefined if there is
 * none. A time without `Z` or an offset is refused, because it would be another moment on another machine. A date alone
 * is midnight UTC, as ECMAScript reads it. `2019-05-01 09:30:00 -0700` and `… UTC` of databases and Ruby are read too.
 */
export function toIso(value: unknown): string | undefined {
  if (typeof value === 'string') return isoOf(value, parseIso(value, true));
  if (typeof value === 'number') return isSeconds(value) ? undefined : isoOf(value, value);
  // The prototype's own getTime: a subclass may have replaced it.
  if (isDate(value)) return isoOf(value, Date.prototype.getTime.call(value));
  return undefined;
}

/** Tells whether a value is text that the strict reading takes for a moment. */
export const isTime = (value: unknown): boolean => typeof value === 'string' && isWritable(parseIso(value, true));

const isoOf = (value: unknown, ms: number): string | undefined => (isWritable(ms) ? writeTime(value, ms) : undefined);

/**
 * Reads a time that any client sends, leniently. Returns the moment in milliseconds since 1970, or NaN if there is none. A time
 * without a zone is UTC, and a number is always milliseconds.
 */
export function parseTime(value: unknown): number {
  const ms =
    typeof value === 'string' ? parseIso(value, false) : typeof value === 'number' ? Math.trunc(value) : Number.NaN;
  return isWritable(ms) ? ms : Number.NaN;
}

/** Tells whether the year of a moment has four digits. */
export const isWritable = (ms: number): boolean => ms >= EARLIEST_MS && ms <= LATEST_MS;

/** Writes a moment as it is sent. The value it was read from is often written so already. */
export const writeTime = (value: unknown, ms: number): string =>
  typeof value === 'string' && isWritten(value) ? value : formatMs(ms);

/** Tells whether a text that is a time is written as `formatMs` writes it, which knows no hour 24 and no leap second. */
const isWritten = (text: string): boolean =>
  text.length === 24 &&
  text[10] === 'T' &&
  text[19] === '.' &&
  text[23] === 'Z' &&
  text[17] !== '6' &&
  !text.startsWith('24', 11);
