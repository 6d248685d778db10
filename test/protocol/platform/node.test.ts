import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatMs } from '../../../src/base/platform/node.js';
import { parseIso } from '../../../src/protocol/platform/node.js';

test('parseIso reads a date correctly, whatever it has read before', () => {
  const days = ['2026-01-05', '2025-14-05', '2026-01-05T00:00:00Z', '2025-13-37', '2026-02-30', '2026-01-05'];
  const day = Date.UTC(2026, 0, 5);
  expect(days.map((text) => parseIso(text, true))).toEqual([day, Number.NaN, day, Number.NaN, Number.NaN, day]);
});

const moment = fc.date({
  min: new Date('0000-01-01T00:00:00.000Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});

test('the ISO text of any time is read back to the same millisecond, and written as Date writes it', () => {
  fc.assert(
    fc.property(moment, (date) => {
      expect(parseIso(date.toISOString(), true)).toBe(date.getTime());
      expect(formatMs(date.getTime())).toBe(date.toISOString());
    }),
  );
});

test('an offset moves any time by exactly its amount', () => {
  const offset = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e12 }), offset, (ms, minutes) => {
      const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
      const zone = `${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
      const local = new Date(ms + minutes * 60_000).toISOString().slice(0, -1);
      expect(parseIso(`${local}${minutes < 0 ? '-' : '+'}${zone}`, true)).toBe(ms);
    }),
  );
});

test('parseIso reads a time without a zone as UTC, and refuses it in strict mode', () => {
  expect(parseIso('2026-11-20T12:00:00', false)).toBe(Date.UTC(2026, 10, 20, 12));
  expect(parseIso('2026-11-20T12:00:00', true)).toBeNaN();
});
