import { types } from 'node:util';

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

// A time without Z or an offset would mean another moment on another machine, so it does not match. A date alone is
// midnight UTC, as ECMAScript reads it.
const ISO_8601 =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-])(\d\d):?(\d\d)?))?$/;

/** The moment as the wire has it (UTC, milliseconds), or undefined when there is no such moment. */
export function toIso(value: unknown): string | undefined {
  if (typeof value === 'string') return isoOfString(value);
  if (typeof value === 'number') return isSeconds(value) ? undefined : isoOfMs(value);
  // The prototype's own getTime: a subclass may have replaced it.
  if (types.isDate(value)) return isoOfMs(Date.prototype.getTime.call(value));
  return undefined;
}

let formattedMs = Number.NaN;
let formatted = '';

/** `new Date(ms).toISOString()`, remembered for as long as the millisecond lasts. */
export function formatMs(ms: number): string {
  if (ms !== formattedMs) {
    formatted = new Date(ms).toISOString();
    formattedMs = ms;
  }
  return formatted;
}

function isoOfMs(ms: number): string | undefined {
  return ms >= EARLIEST_MS && ms <= LATEST_MS ? formatMs(Math.trunc(ms)) : undefined;
}

function isoOfString(value: string): string | undefined {
  const parts = ISO_8601.exec(value);
  if (parts === null) return undefined;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', sign, offsetHour, offsetMinute] =
    parts;
  if (!isDay(Number(year), Number(month), Number(day)) || !isTime(hour, minute, second)) return undefined;
  const ms = fraction.slice(0, 3).padEnd(3, '0');
  const asUtc = `${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`;
  if (sign === undefined) return asUtc;
  if (!isTime(offsetHour ?? '', offsetMinute ?? '00', '00')) return undefined;
  const offsetMs = (Number(offsetHour) * 60 + Number(offsetMinute ?? 0)) * 60_000;
  return isoOfMs(Date.parse(asUtc) + (sign === '+' ? -offsetMs : offsetMs));
}

function isDay(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  if (month === 2) return day <= (isLeapYear(year) ? 29 : 28);
  return day <= (month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31);
}

const isLeapYear = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

const isTime = (hour: string, minute: string, second: string): boolean =>
  Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
