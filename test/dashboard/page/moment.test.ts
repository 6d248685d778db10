import { expect, test } from 'vitest';
import { formatAgo, formatMoment, formatSpan } from '../../../src/dashboard/page/moment.js';

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

test.each([
  [0, '0 s'],
  [-5 * SECOND, '0 s'],
  [59.9 * SECOND, '59 s'],
  [MINUTE, '1 min'],
  [HOUR, '1 h'],
  [HOUR + 59 * MINUTE, '1 h 59 min'],
  [24 * HOUR, '1 d'],
  [76 * HOUR + 12 * MINUTE, '3 d 4 h'],
])('span of %d ms is %s', (ms, text) => {
  expect(formatSpan(ms)).toBe(text);
});

test('moment of today has seconds, of another day a date', () => {
  const noon = new Date(2026, 10, 20, 12, 4, 31, 207).getTime();
  expect(formatMoment(noon, noon + HOUR)).toBe('12:04:31');
  expect(formatMoment(new Date(noon).toISOString(), noon)).toBe('12:04:31');
  expect(formatMoment(noon, noon + 24 * HOUR)).toBe('2026-11-20 12:04');
  expect(formatMoment('soon', noon)).toBe('soon');
});

test('moment that is absent is never', () => {
  expect(formatAgo(undefined, 0)).toBe('never');
  expect(formatAgo(null, 0)).toBe('never');
  expect(formatAgo(0, 12 * SECOND)).toBe('12 s ago');
});
