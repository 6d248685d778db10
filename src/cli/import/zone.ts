import { suggest } from '../../base/options/suggest.js';
import { CliError } from '../cli-error.js';

/**
 * Returns the moment at which local clocks of a zone show a time, both in ms, with the time given as if it were UTC. When
 * clocks go back and show it twice, it is the first moment. When they go forward and skip it, it is later by the length of
 * the gap.
 */
export type Zone = (shownMs: number) => number;

const DAY_MS = 86_400_000;
/** The most days whose offsets are cached, because computing one for each row would be slow. */
const MAX_KNOWN_DAYS = 10_000;
// Every zone uses its local mean time before the first, and keeps its rules after the last. The calendar writes years far outside
// differently.
const EARLIEST_ASKED_MS = Date.UTC(1800, 0, 1);
const LATEST_ASKED_MS = Date.UTC(9999, 11, 30);

/** @throws CliError when there is no such zone */
export function zoneOf(text: string): Zone {
  // Intl of Node 20 does not know offsets.
  const [, sign, hours, minutes = '0'] = /^([+-])([01]\d|2[0-3])(?::?([0-5]\d))?$/.exec(text) ?? [];
  if (sign === undefined) return namedZone(offsetsOf(text));
  const offsetMs = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  return (shownMs) => shownMs - offsetMs;
}

function namedZone(offsetAt: (moment: number) => number): Zone {
  // The offsets shortly before and after a day. If they are the same, the day has only this one.
  const known = new Map<number, readonly [before: number, after: number]>();
  return (shownMs) => {
    const day = Math.floor(shownMs / DAY_MS);
    const [before, after] = known.get(day) ?? [offsetAt((day - 1) * DAY_MS), offsetAt((day + 2) * DAY_MS)];
    if (known.size >= MAX_KNOWN_DAYS) known.clear();
    known.set(day, [before, after]);
    if (before === after) return shownMs - before;
    // The earlier offset is right for both: it gives the first of two moments, and the later time for a skipped one.
    const isBefore = offsetAt(shownMs - before) === before;
    const isAfter = offsetAt(shownMs - after) === after;
    return shownMs - (isAfter && !isBefore ? after : before);
  };
}

/** Returns a function for the zone's offset from UTC at a moment, in ms. */
function offsetsOf(name: string): (moment: number) => number {
  const calendar = calendarOf(name);
  return (moment) => {
    // The calendar shows whole seconds.
    const asked = Math.floor(Math.min(Math.max(moment, EARLIEST_ASKED_MS), LATEST_ASKED_MS) / 1_000) * 1_000;
    return Date.parse(`${calendar.format(asked).replace(' ', 'T')}Z`) - asked;
  };
}

/** Returns a calendar that writes `2019-05-01 09:30:00`, as Sweden does. */
function calendarOf(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium', calendar: 'gregory' });
  } catch {
    const meant = suggest(timeZone, Intl.supportedValuesOf('timeZone'));
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
    throw new CliError(
      `--timezone ${timeZone}: expected an IANA name such as Europe/Berlin, or an offset such as +02:00${hint}`,
    );
  }
}
