import { expect, test } from 'vitest';
import { zoneOf } from '../../../src/cli/import/zone.js';

/** Returns the moment, in UTC, at which clocks in the zone show the time. */
const moment = (zone: string, shown: string): string =>
  new Date(zoneOf(zone)(Date.parse(`${shown}Z`))).toISOString().replace('.000Z', 'Z');

test.each([
  ['UTC', '2019-05-01T09:30:00', '2019-05-01T09:30:00Z'],
  ['+02:00', '2019-05-01T09:30:00', '2019-05-01T07:30:00Z'],
  ['-0330', '2019-05-01T09:30:00', '2019-05-01T13:00:00Z'],
  ['+14', '2019-05-01T09:30:00', '2019-04-30T19:30:00Z'],
  ['Europe/Berlin', '2019-05-01T09:30:00', '2019-05-01T07:30:00Z'],
  ['Europe/Berlin', '2019-01-01T00:00:00', '2018-12-31T23:00:00Z'],
  ['Asia/Kolkata', '2019-05-01T09:30:00', '2019-05-01T04:00:00Z'],
  ['Pacific/Kiritimati', '2019-05-01T09:30:00', '2019-04-30T19:30:00Z'],
  ['Pacific/Niue', '2019-05-01T09:30:00', '2019-05-01T20:30:00Z'],
  ['America/New_York', '1999-12-31T23:59:59.500', '2000-01-01T04:59:59.500Z'],
  // These are local mean time, to the second, and years before 1 that the calendar counts backwards.
  ['Europe/Berlin', '1890-01-01T00:00:00', '1889-12-31T23:06:32Z'],
  ['Europe/Berlin', '0000-06-01T00:00:00', '0000-05-31T23:06:32Z'],
  ['Europe/Berlin', '9999-07-01T00:00:00', '9999-06-30T22:00:00Z'],
])('in the zone %s, clocks show %s at %s', (zone, shown, utc) => {
  expect(moment(zone, shown)).toBe(utc);
});

test.each([
  // On 2019-03-31 clocks go from 02:00 to 03:00.
  ['Europe/Berlin', '2019-03-31T01:59:59', '2019-03-31T00:59:59Z'],
  ['Europe/Berlin', '2019-03-31T02:30:00', '2019-03-31T01:30:00Z'],
  ['Europe/Berlin', '2019-03-31T03:00:00', '2019-03-31T01:00:00Z'],
  ['America/New_York', '2019-03-10T02:30:00', '2019-03-10T07:30:00Z'],
  // Clocks go forward by half an hour.
  ['Australia/Lord_Howe', '2019-10-06T02:15:00', '2019-10-05T15:45:00Z'],
  // The whole day 2011-12-30 is skipped.
  ['Pacific/Apia', '2011-12-30T12:00:00', '2011-12-30T22:00:00Z'],
])('in the zone %s, the skipped time %s counts as %s', (zone, shown, utc) => {
  expect(moment(zone, shown)).toBe(utc);
});

test.each([
  // On 2019-10-27 clocks go from 03:00 back to 02:00.
  ['Europe/Berlin', '2019-10-27T01:59:59', '2019-10-26T23:59:59Z'],
  ['Europe/Berlin', '2019-10-27T02:30:00', '2019-10-27T00:30:00Z'],
  ['Europe/Berlin', '2019-10-27T03:00:00', '2019-10-27T02:00:00Z'],
  ['America/New_York', '2019-11-03T01:30:00', '2019-11-03T05:30:00Z'],
  ['Australia/Lord_Howe', '2019-04-07T01:45:00', '2019-04-06T14:45:00Z'],
])('in the zone %s, the repeated time %s means the first one, %s', (zone, shown, utc) => {
  expect(moment(zone, shown)).toBe(utc);
});

test.each(['Europe/Berln', '', '+25', '+2', '02:00', 'local'])('the zone %j is refused', (name) => {
  expect(() => zoneOf(name)).toThrow(
    `--timezone ${name}: expected an IANA name such as Europe/Berlin, or an offset such as +02:00`,
  );
});

test('a zone returns the same moments in any order of calls', () => {
  const zone = zoneOf('Europe/Berlin');
  const dayMs = 86_400_000;
  const days = Array.from({ length: 12_000 }, (_, index) => Date.UTC(1990, 0, 1) + ((index * 7_919) % 12_000) * dayMs);
  const moments = days.map((day) => zone(day));
  for (const index of [0, 1, 5_000, 11_999]) {
    expect(moments[index]).toBe(zoneOf('Europe/Berlin')(days[index] ?? 0));
  }
});
