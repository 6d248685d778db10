import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatMs } from '../../src/base/platform/node.js';
import { expectedTimestamp, toIso } from '../../src/protocol/timestamp.js';

test.each<[string, unknown, string]>([
  ['a Date', new Date(Date.UTC(2024, 1, 29, 1, 2, 3, 4)), '2024-02-29T01:02:03.004Z'],
  ['milliseconds', 1_700_000_000_123, '2023-11-14T22:13:20.123Z'],
  ['fractions of a millisecond', 1_700_000_000_123.9, '2023-11-14T22:13:20.123Z'],
  ['milliseconds before 1970', -1, '1969-12-31T23:59:59.999Z'],
  ['a time as we send it', '2024-02-29T01:02:03.004Z', '2024-02-29T01:02:03.004Z'],
  ['no fraction', '2024-02-29T01:02:03Z', '2024-02-29T01:02:03.000Z'],
  ['no seconds', '2024-02-29T01:02Z', '2024-02-29T01:02:00.000Z'],
  ['one digit of fraction', '2024-02-29T01:02:03.4Z', '2024-02-29T01:02:03.400Z'],
  ['nanoseconds, cut off', '2024-02-29T01:02:03.123999999Z', '2024-02-29T01:02:03.123Z'],
  ['a comma for a point', '2024-02-29T01:02:03,5Z', '2024-02-29T01:02:03.500Z'],
  ['an offset to the east', '2024-03-01T00:30:00+01:00', '2024-02-29T23:30:00.000Z'],
  ['an offset to the west', '2024-02-29T23:30:00-0130', '2024-03-01T01:00:00.000Z'],
  ['an offset of hours', '2024-02-29T01:00:00+01', '2024-02-29T00:00:00.000Z'],
  ['lower case', '2024-02-29t01:02:03z', '2024-02-29T01:02:03.000Z'],
  ['a space for the T', '2024-02-29 01:02:03Z', '2024-02-29T01:02:03.000Z'],
  ['a day alone: midnight UTC', '2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['the first year', '0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
  ['the year 99', '0099-12-31', '0099-12-31T00:00:00.000Z'],
  ['the last moment', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
])('%s is accepted as a time', (_, value, iso) => {
  expect(toIso(value)).toBe(iso);
});

test.each<[string, unknown]>([
  ['an invalid Date', new Date(Number.NaN)],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['a year past 9999', Date.UTC(10_000, 0)],
  ['a year past 9999 by its offset', '9999-12-31T23:59:59-01:00'],
  ['a year before 0', '0000-01-01T00:00:00+01:00'],
  ['February 30', '2024-02-30T00:00:00Z'],
  ['February 29 of a common year', '2023-02-29'],
  ['February 29 of 1900', '1900-02-29'],
  ['April 31', '2024-04-31'],
  ['month 13', '2024-13-01'],
  ['month 0', '2024-00-10'],
  ['day 0', '2024-01-00'],
  ['minute 60', '2024-01-01T00:60:00Z'],
  ['second 60', '2024-01-01T00:00:60Z'],
  ['offset 24:00', '2024-01-01T00:00:00+24:00'],
  ['a time without Z or an offset, which is another moment elsewhere', '2024-01-01T00:00:00'],
  ['digits', '20240101'],
  ['words', 'yesterday'],
  ['nothing', ''],
  ['space around it', ' 2024-01-01 '],
  ['an object', {}],
  ['null', null],
  ['a BigInt', 1n],
])('%s is not a time', (_, value) => {
  expect(toIso(value)).toBeUndefined();
});

const moments = fc.date({
  min: new Date('0000-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});

test('every time has the same result as a Date, as a number and as a string', () => {
  fc.assert(
    fc.property(moments, (date) => {
      const iso = date.toISOString();
      expect([toIso(date), toIso(date.getTime()), toIso(iso), formatMs(date.getTime())]).toEqual([iso, iso, iso, iso]);
    }),
  );
});

test('every accepted string is the time that JavaScript reads from it', () => {
  const two = (max: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, '0'));
  const zone = fc.oneof(
    fc.constant('Z'),
    fc.tuple(fc.constantFrom('+', '-'), two(23), two(59)).map(([s, h, m]) => `${s}${h}:${m}`),
  );
  fc.assert(
    fc.property(
      fc.integer({ min: 1000, max: 9998 }),
      two(13),
      two(32),
      two(24),
      two(60),
      zone,
      (year, month, day, hour, minute, z) => {
        const text = `${year}-${month}-${day}T${hour}:${minute}:00${z}`;
        const iso = toIso(text);
        if (iso !== undefined) expect(iso).toBe(new Date(text).toISOString());
      },
    ),
  );
});

test.each([1_000_000_000, 1_700_000_000, 1_700_000_000.5, 4_102_444_799])(
  '%s is refused because it is seconds instead of milliseconds',
  (seconds) => {
    expect(toIso(seconds)).toBeUndefined();
    expect(expectedTimestamp(seconds)).toBe('milliseconds since 1970, and these look like seconds: multiply by 1000');
  },
);

test.each<[unknown, string]>([
  [999_999_999, '1970-01-12T13:46:39.999Z'],
  [4_102_444_800, '1970-02-17T11:34:04.800Z'],
  [new Date(1_700_000_000), '1970-01-20T16:13:20.000Z'],
  ['1970-01-20T16:13:20Z', '1970-01-20T16:13:20.000Z'],
])('%s is accepted as a time in early 1970', (moment, iso) => {
  expect(toIso(moment)).toBe(iso);
});

class Moment {
  toDate(): void {}
}

test.each<[unknown, string]>([
  ['1732800000', 'Unix seconds as text: give `new Date(text * 1000)`'],
  ['1732800000.5', 'Unix seconds as text: give `new Date(text * 1000)`'],
  ['1732800000000', 'milliseconds as text: give `Number(text)`'],
  ['Wed, 01 May 2019 09:30:00 +0000', 'RFC 2822, or the text of a Date: give `new Date(text)`'],
  ['20190501T093000Z', 'basic ISO 8601: write it with - and :'],
  ['/Date(1556703000000)/', 'JSON of .NET: give the number in it'],
  ['2019-05-01T09:30Z[UTC]', 'a ZonedDateTime of Java: leave out what is in brackets'],
  ['2019-05-01T11:30+02:00[Europe/Zurich]', 'a ZonedDateTime of Java: leave out what is in brackets'],
  ['1 May 2019 09:30:00 GMT', 'RFC 2822, or the text of a Date: give `new Date(text)`'],
  [String(new Date(0)), 'RFC 2822, or the text of a Date: give `new Date(text)`'],
  [{ toJSDate() {} }, 'a DateTime of Luxon: give its `toJSDate()`'],
  [new Moment(), 'an object of Moment, Day.js or the like: give its `toDate()`'],
  [{ epochMilliseconds: 0 }, 'an object of Temporal: give its `epochMilliseconds`'],
])('the error for the timestamp %j says what format it seems to have', (value, seen) => {
  expect(expectedTimestamp(value)).toBe(`an ISO 8601 time or a Date, and this looks like ${seen}`);
});

test.each([
  [1_732_800_000_000_000, 'microseconds or nanoseconds: divide by 1e3 or 1e6'],
  [1_732_800_000_000_000_000, 'microseconds or nanoseconds: divide by 1e3 or 1e6'],
])('the error for the timestamp %d says that it seems to have smaller units', (value, seen) => {
  expect(expectedTimestamp(value)).toBe(`milliseconds since 1970, and these look like ${seen}`);
});

const hostile = new Proxy(
  {},
  {
    has() {
      throw new Error('no');
    },
  },
);

test.each([['20190501'], ['yesterday'], [{}], [null], [Number.NaN], [Number.POSITIVE_INFINITY], [hostile]])(
  'a timestamp in no recognisable format has the general error',
  (value) => {
    expect(expectedTimestamp(value)).toMatch(/^a valid Date, an ISO 8601 time/);
  },
);
