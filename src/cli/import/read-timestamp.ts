import { ValidationError } from '../../base/errors/errors.js';
import { formatMs } from '../../base/platform/node.js';
import { describe } from '../../base/text/describe.js';
import { parseTime } from '../../protocol/timestamp.js';
import type { Zone } from './zone.js';

/** The microseconds of each unit in which a numeric timestamp may count from 1970. */
const MICROSECONDS = { s: 1e6, ms: 1e3, us: 1, ns: 1e-3 };

export type TimestampUnit = keyof typeof MICROSECONDS;

export interface TimestampOptions {
  /** The time zone of times that have none. */
  readonly zone: Zone | undefined;
  /** The unit of numeric timestamps. @default a JSON number counts milliseconds, and a number in text is refused */
  readonly unit: TimestampUnit | undefined;
}

const NUMBER = /^-?\d+(?:\.\d+)?$/;
const DATE = /^\d{4}-\d\d-\d\d$/;
const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?$/;

/**
 * Converts a timestamp in a file to one that the client accepts. Other values are returned unchanged, and the client
 * rejects them.
 *
 * @throws ValidationError if the value is ambiguous without an option
 */
export function readTimestamp(value: unknown, { zone, unit }: TimestampOptions): unknown {
  const isText = typeof value === 'string';
  if (typeof value === 'number' || (isText && NUMBER.test(value))) {
    // Rounding to microseconds first keeps the millisecond of a fraction without an exact binary form.
    if (unit !== undefined) return Math.floor(Math.round(Number(value) * MICROSECONDS[unit]) / 1_000);
    if (isText) throw wrong('a time, or a number with the option --timestamp-unit', value);
  }
  if (!isText || !(WITHOUT_ZONE.test(value) || (zone !== undefined && DATE.test(value)))) return value;
  if (zone === undefined) throw wrong('a time with Z or an offset, or the option --timezone', value);
  const shown = parseTime(value.replace(/(?<=:\d\d:)60/, '59'));
  if (Number.isNaN(shown)) return value;
  // A leap second is restored last, because the client checks it in UTC.
  return /:\d\d:60/.test(value) ? formatMs(zone(shown)).replace(':59.', ':60.') : zone(shown);
}

const wrong = (expected: string, value: string): ValidationError =>
  new ValidationError('timestamp', expected, describe(value));
