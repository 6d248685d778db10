import { expect, test } from 'vitest';
import { readTimestamp, type TimestampUnit } from '../../../src/cli/import/read-timestamp.js';
import { zoneOf } from '../../../src/cli/import/zone.js';
import { toIso } from '../../../src/protocol/timestamp.js';

const read = (value: unknown, { zone, unit }: { zone?: string; unit?: TimestampUnit } = {}): unknown =>
  toIso(readTimestamp(value, { zone: zone === undefined ? undefined : zoneOf(zone), unit }));

const MOMENT = '2019-05-01T09:30:00.123Z';

test.each([
  ['2019-05-01T09:30:00.123Z'],
  ['2019-05-01 09:30:00.123456 UTC'],
  ['2019-05-01 09:30:00.123UTC'],
  ['2019-05-01 09:30:00.123 GMT'],
  ['2019-05-01 11:30:00.123+02'],
  [1_556_703_000_123],
])('the timestamp %j is read without an option', (value) => {
  expect(read(value)).toBe(MOMENT);
  expect(read(value, { zone: 'America/New_York' })).toBe(MOMENT);
});

test.each([
  ['2019-05-01', undefined, '2019-05-01T00:00:00.000Z'],
  ['2019-05-01', 'Europe/Berlin', '2019-04-30T22:00:00.000Z'],
  ['2019-05-01 11:30:00.123', 'Europe/Berlin', MOMENT],
  ['2019-05-01T11:30:00,123999', 'Europe/Berlin', MOMENT],
  ['2019-05-01 11:30', '+02:00', '2019-05-01T09:30:00.000Z'],
])('the timestamp %j in the zone %j means %s', (value, zone, moment) => {
  expect(read(value, zone === undefined ? {} : { zone })).toBe(moment);
});

test.each<[unknown, TimestampUnit]>([
  ['1556703000.123', 's'],
  [1_556_703_000.123, 's'],
  ['1556703000123', 'ms'],
  [1_556_703_000_123, 'ms'],
  ['1556703000123000', 'us'],
  ['1556703000123999', 'us'],
  ['1556703000123000000', 'ns'],
  [Number('1556703000123000000'), 'ns'],
])('the timestamp %j is read with the unit %s', (value, unit) => {
  expect(read(value, { unit })).toBe(MOMENT);
});

test('a timestamp before 1970 is exact', () => {
  expect(read('-0.001', { unit: 's' })).toBe('1969-12-31T23:59:59.999Z');
});

test.each([
  [
    '2019-05-01 09:30:00',
    'expected a time with Z or an offset, or the option --timezone, got string "2019-05-01 09:30:00"',
  ],
  ['1556703000', 'expected a time, or a number with the option --timestamp-unit, got string "1556703000"'],
])('the timestamp %s without its option is refused, and the error names the option', (value, reason) => {
  expect(() => read(value)).toThrow(reason);
});

test.each([['yesterday'], ['2019-13-01 00:00:00'], ['2019-02-30'], [true], [null], [{}], ['UTC'], ['']])(
  'the invalid timestamp %j is passed on, and the client rejects it',
  (value) => {
    expect(read(value, { zone: 'Europe/Berlin' })).toBeUndefined();
  },
);
