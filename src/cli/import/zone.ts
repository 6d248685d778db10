import { CliError } from '../cli-error.js';

/**
 * Returns the moment at which clocks in a zone show a time. Both are in ms, and the shown time is given as if it were UTC. For a
 * time that clocks show twice, it returns the first moment. A time that clocks skip is moved forward by the length of the gap.
 */
export type Zone = (shownMs: number) => number;

const DAY_MS = 86_400_000;
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
  return (shownMs) => {
    // The earlier offset gives the first of two moments and moves a skipped time forward. It counts unless only the later fits.
    const before = offsetAt(shownMs - DAY_MS);
    const fits = [before, offsetAt(shownMs + DAY_MS)].find((offset) => offsetAt(shownMs - offset) === offset);
    return shownMs - (fits ?? before);
  };
}

/** Returns a calendar that writes `2019-05-01 09:30:00`, as Sweden does. */
function calendarOf(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium', calendar: 'gregory' });
  } catch {
    const expected = 'expected an IANA name such as Europe/Berlin, or an offset such as +02:00';
    throw new CliError(`--timezone ${timeZone}: ${expected}`);
  }
}
