import { ValidationError } from '../../base/errors/errors.js';
import { formatMs } from '../../base/platform/node.js';
import { describe } from '../../base/text/describe.js';
import { parseTime } from '../../protocol/timestamp.js';
import type { Zone } from './zone.js';

/** The unit of a numeric timestamp, which counts from 1970. */
export type TimestampUnit = keyof typeof MICROSECONDS;

export interface TimestampOptions {
  /** The time zone of times that have none. */
  readonly zone: Zone | undefined;
  /** The unit of numeric timestamps. @default a JSON number counts milliseconds, and a number in text is refused */
  readonly unit: TimestampUnit | undefined;
}

const MICROSECONDS = { s: 1e6, ms: 1e3, us: 1, ns: 1e-3 };

const NUMBER = /^-?\d+(?:\.\d+)?$/;
const DATE = /^\d{4}-\d\d-\d\d$/;
const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?$/;
const DATE_IN_UTC = /^(\d{4}-\d\d-\d\d) ?(?:UTC|GMT)$/;

/**
 * Converts a timestamp in a file to one that the client accepts. Other values are returned unchanged, and the client
 * rejects them.
 *
 * @throws ValidationError if only an option can say what the value means
 */
export function readTimestamp(value: unknown, { zone, unit }: TimestampOptions): unknown {
  if (typeof value === 'number') return unit === undefined ? value : millisecondsOf(value, unit);
  if (typeof value !== 'string' || value.endsWith('Z')) return value;
  return NUMBER.test(value) ? readNumber(value, unit) : readText(value, zone);
}

function readNumber(text: string, unit: TimestampUnit | undefined): number {
  if (unit !== undefined) return millisecondsOf(Number(text), unit);
  const guess = `--timestamp-unit ${unitOf(Number(text))}`;
  throw new ValidationError('timestamp', `a time, or the unit of the number as an option (${guess}?)`, describe(text));
}

function readText(value: string, zone: Zone | undefined): unknown {
  if (DATE.test(value)) return zone === undefined ? value : inZone(value, zone);
  const [, dateInUtc] = DATE_IN_UTC.exec(value) ?? [];
  if (dateInUtc !== undefined) return dateInUtc;
  if (!WITHOUT_ZONE.test(value)) return value;
  if (zone === undefined) {
    throw new ValidationError('timestamp', 'a time with Z or an offset, or the option --timezone', describe(value));
  }
  return inZone(value, zone);
}

/** Reads the time as UTC, then moves it to the zone. A leap second is restored last, because the client checks it in UTC. */
function inZone(value: string, zone: Zone): unknown {
  const shown = parseTime(value.replace(/(?<=:\d\d:)60/, '59'));
  if (Number.isNaN(shown)) return value;
  const moment = zone(shown);
  return /:\d\d:60/.test(value) ? formatMs(moment).replace(':59.', ':60.') : moment;
}

/** Rounds to microseconds first, because a fraction without an exact binary form could lose a millisecond. */
function millisecondsOf(value: number, unit: TimestampUnit): number {
  return Math.floor(Math.round(value * MICROSECONDS[unit]) / 1_000);
}

/** Guesses the unit of a number, on the assumption that it is a time of recent decades. */
function unitOf(value: number): TimestampUnit {
  const digits = Math.abs(value);
  if (digits < 1e11) return 's';
  if (digits < 1e14) return 'ms';
  return digits < 1e17 ? 'us' : 'ns';
}
