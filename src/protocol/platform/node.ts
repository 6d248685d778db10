/**
 * These functions are fast enough for a server. The build of `eventferry/fetch` replaces this file by `web.ts`, which is small.
 */

import { parseOddTime } from '../odd-time.js';

export { lookOfTime } from '../look-of-time.js';
export { mayLack } from '../plain.js';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

// ISO 8601 with up to nine decimals of a second; digits after the millisecond are cut off. It is read character by character,
// because this runs for every message and is ten times as fast as a regular expression. A character that is not a digit becomes
// NaN, and NaN fails every comparison below.

/** Returns the time in milliseconds since 1970. With `isStrict`, a time without a zone is refused. */
export function parseIso(text: string, isStrict: boolean): number {
  const ms = parseUsual(text, isStrict);
  return Number.isNaN(ms) ? parseOddTime(text, (usual) => parseUsual(usual, isStrict)) : ms;
}

function parseUsual(text: string, isStrict: boolean): number {
  const days = daysOf(text);
  if (text.length === 10) return days * DAY_MS;
  const divider = text[10];
  if ((divider !== 'T' && divider !== 't' && divider !== ' ') || text[13] !== ':') return Number.NaN;
  const minutes = below(24, two(text, 11)) * 60 + below(60, two(text, 14));
  let end = 16;
  let ms = days * DAY_MS + minutes * MINUTE_MS;
  if (text[end] === ':') {
    ms += below(60, two(text, 17)) * 1000;
    end = 19;
    if (text[end] === '.' || text[end] === ',') {
      end = endOfDigits(text, 20);
      if (end === 20 || end > 29) return Number.NaN;
      ms += milliseconds(text, end);
    }
  }
  return isStrict || end < text.length ? ms - offsetMs(text, end) : ms;
}

let readDate = Number.NaN;
let readDays = 0;

/**
 * Returns the days from 1970-01-01 to the date at the beginning of the text. The last result is cached, because times of the same
 * day often follow one another.
 */
function daysOf(text: string): number {
  if (text[4] !== '-' || text[7] !== '-') return Number.NaN;
  const year = two(text, 0) * 100 + two(text, 2);
  const month = two(text, 5);
  const day = two(text, 8);
  const date = (year * 100 + month) * 100 + day;
  if (date === readDate) return readDays;
  // The calendar repeats every 400 years, and Date.UTC misinterprets years before 100.
  const like = 2000 + (year % 400);
  const first = Date.UTC(like, month - 1);
  const length = (Date.UTC(like, month) - first) / DAY_MS;
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= length)) return Number.NaN;
  readDate = date;
  readDays = first / DAY_MS + day - 1 + (Math.floor(year / 400) - 5) * 146_097;
  return readDays;
}

/** Returns the offset that converts the local time to UTC. The zone begins at `at` and must be the end of the text. */
function offsetMs(text: string, at: number): number {
  const mark = text[at];
  if (mark === 'Z' || mark === 'z') return at + 1 === text.length ? 0 : Number.NaN;
  if (mark !== '+' && mark !== '-') return Number.NaN;
  const sign = mark === '-' ? -1 : 1;
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

const two = (text: string, at: number): number => {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
};

const below = (limit: number, value: number): number => (value < limit ? value : Number.NaN);

function endOfDigits(text: string, from: number): number {
  let at = from;
  while (at < 30 && digit(text, at) >= 0) at++;
  return at;
}

const milliseconds = (text: string, end: number): number =>
  digit(text, 20) * 100 + (end > 21 ? digit(text, 21) * 10 : 0) + (end > 22 ? digit(text, 22) : 0);
