import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatMs, parseTime } from '../../src/protocol/timestamp.js';

const taken: [string | number, string][] = [
  ['2026-11-20T12:00:00.000Z', '2026-11-20T12:00:00.000Z'],
  ['2026-11-20T12:00:00Z', '2026-11-20T12:00:00.000Z'],
  ['2026-11-20t12:00:00z', '2026-11-20T12:00:00.000Z'],
  ['2026-11-20T12:00Z', '2026-11-20T12:00:00.000Z'],
  ['2026-11-20T12:00:00+0000', '2026-11-20T12:00:00.000Z'],
  ['2026-11-20T12:00:00+01:00', '2026-11-20T11:00:00.000Z'],
  ['2026-11-20T12:00:00-0530', '2026-11-20T17:30:00.000Z'],
  ['2026-11-20T12:00:00+01', '2026-11-20T11:00:00.000Z'],
  ['2026-11-20T12:00:00.5Z', '2026-11-20T12:00:00.500Z'],
  ['2026-11-20T12:00:00.123456Z', '2026-11-20T12:00:00.123Z'],
  ['2026-11-20T12:00:00.123456789+01:00', '2026-11-20T11:00:00.123Z'],
  ['2026-11-20T12:00:00,25Z', '2026-11-20T12:00:00.250Z'],
  ['2026-11-20 12:00:00 +0000', '2026-11-20T12:00:00.000Z'],
  ['2026-11-20T12:00:00', '2026-11-20T12:00:00.000Z'],
  ['2026-11-20', '2026-11-20T00:00:00.000Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  [1763640000000, '2025-11-20T12:00:00.000Z'],
  [-1.5, '1969-12-31T23:59:59.999Z'],
];

test.each(taken)('parseTime reads %s as %s', (given, expected) => {
  expect(formatMs(parseTime(given))).toBe(expected);
});

test('parseTime reads a date the same whichever it read before', () => {
  const days = ['2026-01-05', '2025-14-05', '2026-01-05T00:00:00Z', '2025-13-37', '2026-02-30', '2026-01-05'];
  const day = Date.UTC(2026, 0, 5);
  expect(days.map(parseTime)).toEqual([day, Number.NaN, day, Number.NaN, Number.NaN, day]);
});

const refused = [
  '',
  'yesterday',
  '2026-02-29T00:00:00Z',
  '1900-02-29T00:00:00Z',
  '2026-04-31',
  '2026-13-01',
  '2026-00-01',
  '2026-11-20T24:00:00Z',
  '2026-11-20T12:60:00Z',
  '2026-11-20T12:00:60Z',
  '2026-11-20T12:00:00.Z',
  '2026-11-20T12:00:00.1234567890Z',
  '2026-11-20T12:00:00Zulu',
  '2026-11-20T12:00:00+1',
  '2026-11-20T12:00:00+25:00',
  '2026-11-20T12:00:00+01:0',
  '2026-11-20T',
  '2026-1-2',
  '0000-01-01T00:00:00+01:00',
  Number.NaN,
  Number.POSITIVE_INFINITY,
  8.64e15,
  null,
  true,
  {},
];

test.each(refused)('parseTime refuses %s', (given) => {
  expect(parseTime(given)).toBeNaN();
});

const moment = fc.date({
  min: new Date('0000-01-01T00:00:00.000Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});

test('the ISO text of any moment is read back to the same millisecond, and written as Date writes it', () => {
  fc.assert(
    fc.property(moment, (date) => {
      expect(parseTime(date.toISOString())).toBe(date.getTime());
      expect(formatMs(date.getTime())).toBe(date.toISOString());
    }),
  );
});

test('an offset moves any moment by as much, and by nothing else', () => {
  const offset = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e12 }), offset, (ms, minutes) => {
      const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
      const zone = `${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
      const local = new Date(ms + minutes * 60_000).toISOString().slice(0, -1);
      expect(parseTime(`${local}${minutes < 0 ? '-' : '+'}${zone}`)).toBe(ms);
    }),
  );
});

test('any text is read without throwing', () => {
  fc.assert(fc.property(fc.string(), (text) => typeof parseTime(text) === 'number'));
});
