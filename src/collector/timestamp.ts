const EARLIEST_MS = Date.parse('0000-01-01T00:00:00.000Z');
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/**
 * The moment a client means, in milliseconds since 1970, or NaN when it makes none. Taken are ISO 8601 with `Z`, `+0000`,
 * `+01:00`, `+01` or no zone at all (read as UTC), with seconds and up to nine decimals or without, a date alone, and a
 * number of milliseconds. Digits past the millisecond are cut off.
 */
export function parseTime(value: unknown): number {
  if (typeof value === 'string') return within(parseIso(value));
  return typeof value === 'number' ? within(Math.trunc(value)) : Number.NaN;
}

/** The year has four digits. */
export const isWritable = (ms: number): boolean => ms >= EARLIEST_MS && ms <= LATEST_MS;

const within = (ms: number): number => (isWritable(ms) ? ms : Number.NaN);

const ENDINGS = Array.from({ length: 1000 }, (_, ms) => `${String(ms).padStart(3, '0')}Z`);
let formattedSecond = Number.NaN;
let beginning = '';

/** `new Date(ms).toISOString()`, at a tenth of the price while the second lasts. */
export function formatTime(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== formattedSecond) {
    beginning = new Date(second * 1000).toISOString().slice(0, -'000Z'.length);
    formattedSecond = second;
  }
  return beginning + ENDINGS[ms - second * 1000];
}

// Character by character, because this runs for every message: ten times as fast as a regular expression. What is not a
// digit makes NaN, and NaN fails every comparison below.

function parseIso(text: string): number {
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
  return ms - offsetMs(text, text[end] === ' ' ? end + 1 : end);
}

/** Days from 1970-01-01 to the date the text begins with. */
function daysOf(text: string): number {
  if (text[4] !== '-' || text[7] !== '-') return Number.NaN;
  const year = two(text, 0) * 100 + two(text, 2);
  const month = two(text, 5);
  const day = two(text, 8);
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= daysIn(month, year))) return Number.NaN;
  // The calendar repeats every 400 years; counted from the first of March, a leap day is the last day of its year.
  const shifted = month > 2 ? year : year - 1;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function daysIn(month: number, year: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** What has to be taken off the local time to make it UTC; the text must end with the zone that begins at `at`. */
function offsetMs(text: string, at: number): number {
  if (at === text.length) return 0;
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

function milliseconds(text: string, end: number): number {
  let ms = digit(text, 20) * 100;
  if (end > 21) ms += digit(text, 21) * 10;
  if (end > 22) ms += digit(text, 22);
  return ms;
}
