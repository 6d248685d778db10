import { isDate } from '../platform/node.js';

/** When something happened: a `Date`, an ISO 8601 string, or milliseconds since 1970-01-01T00:00:00Z. */
export type Timestamp = Date | string | number;

export const EXPECTED_TIMESTAMP =
  'a valid Date, an ISO 8601 time with Z or an offset, or milliseconds since 1970, within the years 0000 to 9999';

/** As seconds these are the years 2001 to 2099, as milliseconds some weeks of 1970: seconds are what is meant. */
const LEAST_SECONDS = 1e9;
const MOST_SECONDS = Date.UTC(2100, 0) / 1000;

const isSeconds = (value: unknown): boolean =>
  typeof value === 'number' && value >= LEAST_SECONDS && value < MOST_SECONDS;

/** What a timestamp should be, for one that is none. */
export const expectedTimestamp = (value: unknown): string =>
  isSeconds(value)
    ? 'milliseconds since 1970, and these look like seconds: multiply by 1000 (or give a time in early 1970 as a Date)'
    : EXPECTED_TIMESTAMP;

const EARLIEST_MS = Date.parse('0000-01-01T00:00:00.000Z');
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/**
 * The strict reading, of what a program gives: the moment as the wire has it (UTC, milliseconds), or undefined when there is
 * no such moment. A time without `Z` or an offset would be another moment on another machine, so it is none. A date alone
 * is midnight UTC, as ECMAScript reads it.
 */
export function toIso(value: unknown): string | undefined {
  if (typeof value === 'string') return isoOf(value, parseIso(value, true));
  if (typeof value === 'number') return isSeconds(value) ? undefined : isoOf(value, value);
  // The prototype's own getTime: a subclass may have replaced it.
  if (isDate(value)) return isoOf(value, Date.prototype.getTime.call(value));
  return undefined;
}

/** Whether a value is text that the strict reading takes for a moment. */
export const isTime = (value: unknown): boolean => typeof value === 'string' && isWritable(parseIso(value, true));

const isoOf = (value: unknown, ms: number): string | undefined => (isWritable(ms) ? writeTime(value, ms) : undefined);

/**
 * The lenient reading, of what any client sends: the moment in milliseconds since 1970, or NaN when there is no such
 * moment. A time may have no zone at all, which is read as UTC, or a space before its offset, and a number is always
 * milliseconds.
 */
export function parseTime(value: unknown): number {
  const ms =
    typeof value === 'string' ? parseIso(value, false) : typeof value === 'number' ? Math.trunc(value) : Number.NaN;
  return isWritable(ms) ? ms : Number.NaN;
}

/** The year has four digits. */
export const isWritable = (ms: number): boolean => ms >= EARLIEST_MS && ms <= LATEST_MS;

/** How the wire has the moment that was read of a value: often it is that already. */
export const writeTime = (value: unknown, ms: number): string =>
  typeof value === 'string' && isWritten(value) ? value : formatMs(ms);

/** Whether a text that is a time is written as `formatMs` writes it. */
const isWritten = (text: string): boolean =>
  text.length === 24 && text[10] === 'T' && text[19] === '.' && text[23] === 'Z';

let formattedMs = Number.NaN;
let formatted = '';
let formattedSecond = Number.NaN;
let beginning = '';

/** `new Date(ms).toISOString()`, at a tenth of the price while the second lasts. */
export function formatMs(ms: number): string {
  if (ms === formattedMs) return formatted;
  const whole = Math.trunc(ms);
  const second = Math.floor(whole / 1000);
  if (second !== formattedSecond) {
    beginning = new Date(second * 1000).toISOString().slice(0, -'000Z'.length);
    formattedSecond = second;
  }
  formattedMs = ms;
  formatted = `${beginning}${String(1000 + whole - second * 1000).slice(1)}Z`;
  return formatted;
}

// ISO 8601 with up to nine decimals of a second; digits past the millisecond are cut off. Read character by character, because
// this runs for every message: ten times as fast as a regular expression. What is not a digit makes NaN, and NaN fails every
// comparison below.

function parseIso(text: string, isStrict: boolean): number {
  const days = daysOf(text);
  if (text.length === 10) return days * DAY_MS;
  if (!isOneOf(text, 10, 'Tt ') || text[13] !== ':') return Number.NaN;
  const minutes = below(24, two(text, 11)) * 60 + below(60, two(text, 14));
  let end = 16;
  let ms = days * DAY_MS + minutes * MINUTE_MS;
  if (text[end] === ':') {
    ms += below(60, two(text, 17)) * 1000;
    end = 19;
    if (isOneOf(text, end, '.,')) {
      end = endOfDigits(text, 20);
      if (end === 20 || end > 29) return Number.NaN;
      ms += milliseconds(text, end);
    }
  }
  if (isStrict) return ms - offsetMs(text, end);
  const zoneAt = text[end] === ' ' ? end + 1 : end;
  return zoneAt === text.length ? ms : ms - offsetMs(text, zoneAt);
}

let readDate = Number.NaN;
let readDays = 0;

/** Days from 1970-01-01 to the date the text begins with. The times of one day often come together. */
function daysOf(text: string): number {
  if (text[4] !== '-' || text[7] !== '-') return Number.NaN;
  const year = two(text, 0) * 100 + two(text, 2);
  const month = two(text, 5);
  const day = two(text, 8);
  const date = (year * 100 + month) * 100 + day;
  if (date === readDate) return readDays;
  // The calendar repeats every 400 years, and Date.UTC takes the years before 100 for others.
  const like = 2000 + (year % 400);
  const first = Date.UTC(like, month - 1);
  const length = (Date.UTC(like, month) - first) / DAY_MS;
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= length)) return Number.NaN;
  readDate = date;
  readDays = first / DAY_MS + day - 1 + (Math.floor(year / 400) - 5) * 146_097;
  return readDays;
}

/** What has to be taken off the local time to make it UTC; the text must end with the zone that begins at `at`. */
function offsetMs(text: string, at: number): number {
  if (isOneOf(text, at, 'Zz')) return at + 1 === text.length ? 0 : Number.NaN;
  if (!isOneOf(text, at, '+-')) return Number.NaN;
  const sign = text[at] === '-' ? -1 : 1;
  const hours = below(24, two(text, at + 1));
  if (text.length === at + 3) return sign * hours * 60 * MINUTE_MS;
  const minutesAt = text[at + 3] === ':' ? at + 4 : at + 3;
  if (text.length !== minutesAt + 2) return Number.NaN;
  return sign * (hours * 60 + below(60, two(text, minutesAt))) * MINUTE_MS;
}

const digit = (text: string, at: number): number => {
  const value = text.charCodeAt(at) - 48;
  return value >= 0 && value <= 9 ? value : Number.NaN;
};

const two = (text: string, at: number): number => digit(text, at) * 10 + digit(text, at + 1);

const below = (limit: number, value: number): number => (value < limit ? value : Number.NaN);

const isOneOf = (text: string, at: number, characters: string): boolean =>
  at < text.length && characters.includes(text.charAt(at));

function endOfDigits(text: string, from: number): number {
  let at = from;
  while (digit(text, at) >= 0) at++;
  return at;
}

const milliseconds = (text: string, end: number): number =>
  digit(text, 20) * 100 + (end > 21 ? digit(text, 21) * 10 : 0) + (end > 22 ? digit(text, 22) : 0);
