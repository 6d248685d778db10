import { suggest } from '../../base/options/suggest.js';
import { CliError } from '../cli-error.js';

/**
 * Returns the moment at which clocks in a zone show a time. Both are in ms, and the shown time is given as if it were UTC. For a
 * time that clocks show twice, it returns the first moment. A time that clocks skip is moved forward by the length of the gap.
 */
export type Zone = (shownMs: number) => number;

const DAY_MS = 86_400_000;
/** The most days whose offsets are cached, because computing one for each row would be slow. */
const MAX_KNOWN_DAYS = 10_000;
// Moments outside these limits are looked up at the nearer limit: zones use local mean time before the first and keep their rules
// after the last, and the calendar writes years far outside in another format.
const EARLIEST_ASKED_MS = Date.UTC(1800, 0, 1);
const LATEST_ASKED_MS = Date.UTC(9999, 11, 30);

/** @throws CliError when there is no such zone */
export function zoneOf(text: string): Zone {
  // `Intl` of Node 20 does not accept offsets.
  const [, sign, hours, minutes = '0'] = /^([+-])([01]\d|2[0-3])(?::?([0-5]\d))?$/.exec(text) ?? [];
  if (sign === undefined) return namedZone(calendarOf(text));
  const offsetMs = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  return (shownMs) => shownMs - offsetMs;
}

function namedZone(calendar: Intl.DateTimeFormat): Zone {
  /** Returns the offset from UTC at a moment. The calendar shows whole seconds. */
  const offsetAt = (moment: number): number => {
    const asked = Math.floor(Math.min(Math.max(moment, EARLIEST_ASKED_MS), LATEST_ASKED_MS) / 1_000) * 1_000;
    return Date.parse(`${calendar.format(asked).replace(' ', 'T')}Z`) - asked;
  };
  // The offsets shortly before and after each day. If they are the same, the day has only this offset.
  const known = new Map<number, readonly [before: number, after: number]>();
  return (shownMs) => {
    const day = Math.floor(shownMs / DAY_MS);
    const [before, after] = known.get(day) ?? [offsetAt((day - 1) * DAY_MS), offsetAt((day + 2) * DAY_MS)];
    if (known.size >= MAX_KNOWN_DAYS) known.clear();
    known.set(day, [before, after]);
    // The earlier offset gives the first of two moments and moves a skipped time forward. It counts unless only the later fits.
    if (before === after || offsetAt(shownMs - before) === before) return shownMs - before;
    return shownMs - (offsetAt(shownMs - after) === after ? after : before);
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
