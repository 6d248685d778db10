import { suggest } from '../../base/options/suggest.js';
import { CliError } from '../cli-error.js';

/** Converts local times of a zone to moments. */
export interface Zone {
  readonly name: string;
  /**
   * Returns the moment at which local clocks show a time, both in ms, with the time given as if it were UTC. When
   * clocks go back and show it twice, it is the first moment. When they go forward and skip it, it is later by the
   * length of the gap.
   */
  momentOf(shownMs: number): number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The most days whose offsets are cached, because computing one for each row would be slow. */
const MAX_KNOWN_DAYS = 10_000;
// Every zone uses its local mean time before this year, and the calendar formats much earlier years differently.
const EARLIEST_ASKED_MS = Date.UTC(1800, 0, 1);

/** @throws CliError when there is no such zone */
export function zoneOf(text: string): Zone {
  const offsetMs = fixedOffsetMs(text);
  return offsetMs === undefined ? namedZone(text) : { name: text, momentOf: (shownMs) => shownMs - offsetMs };
}

function fixedOffsetMs(text: string): number | undefined {
  const [, sign, hours = '', minutes = '0'] = /^([+-])(\d\d)(?::?([0-5]\d))?$/.exec(text) ?? [];
  if (sign === undefined || Number(hours) > 23) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

function namedZone(name: string): Zone {
  const offsetAt = offsetsOf(name);
  const known = new Map<number, number | undefined>();

  /** Returns the offset of a day if it does not change on that day or shortly before or after. */
  const steadyOffset = (day: number): number | undefined => {
    if (known.has(day)) return known.get(day);
    const first = offsetAt((day - 1) * DAY_MS);
    let isSteady = true;
    for (let hours = 6; hours <= 72 && isSteady; hours += 6) {
      isSteady = offsetAt((day - 1) * DAY_MS + hours * HOUR_MS) === first;
    }
    if (known.size >= MAX_KNOWN_DAYS) known.clear();
    known.set(day, isSteady ? first : undefined);
    return known.get(day);
  };

  return {
    name,
    momentOf(shownMs) {
      const steady = steadyOffset(Math.floor(shownMs / DAY_MS));
      return shownMs - (steady ?? changingOffset(shownMs, offsetAt));
    },
  };
}

/** Returns the offset of a time close to a change, which clocks may show twice or never. */
function changingOffset(shownMs: number, offsetAt: (moment: number) => number): number {
  const [before, after] = [offsetAt(shownMs - DAY_MS), offsetAt(shownMs + DAY_MS)];
  // The earlier offset is right for both: it gives the first of two moments, and the later time for a skipped one.
  const isBefore = offsetAt(shownMs - before) === before;
  const isAfter = offsetAt(shownMs - after) === after;
  return isAfter && !isBefore ? after : before;
}

/** Returns a function for the zone's offset from UTC at a moment, in ms. */
function offsetsOf(name: string): (moment: number) => number {
  const calendar = calendarOf(name);
  return (moment) => {
    // The calendar shows whole seconds.
    const asked = Math.floor(Math.max(moment, EARLIEST_ASKED_MS) / 1_000) * 1_000;
    const shown = Object.fromEntries(calendar.formatToParts(asked).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
    return Date.UTC(year, month - 1, day, hour, minute, second) - asked;
  };
}

function calendarOf(timeZone: string): Intl.DateTimeFormat {
  const [numeric, hourCycle] = ['numeric', 'h23'] as const;
  const fields = { year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric };
  try {
    return new Intl.DateTimeFormat('en-US', { ...fields, timeZone, hourCycle, calendar: 'gregory' });
  } catch {
    const meant = suggest(timeZone, Intl.supportedValuesOf('timeZone'));
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
    throw new CliError(
      `--timezone ${timeZone}: expected an IANA name such as Europe/Berlin, or an offset such as +02:00${hint}`,
    );
  }
}
