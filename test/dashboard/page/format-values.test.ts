import { expect, test } from 'vitest';
import {
  firstNames,
  formatAgo,
  formatBytes,
  formatDuration,
  formatMinute,
  formatMoment,
  formatShare,
  formatSpan,
  titleOf,
  userOf,
} from '../../../src/dashboard/page/format-values.js';

test.each([
  [{ type: 'track', event: 'Paid' }, 'Paid'],
  [{ type: 'page', category: 'Shop', name: 'Home' }, 'Shop / Home'],
  [{ type: 'screen', name: null }, ''],
  [{ type: 'group', groupId: 7 }, '7'],
  [{ type: 'alias', previousId: 'a1' }, 'was a1'],
  [{ type: 'identify', traits: { name: 'Ada', plan: 'pro' } }, 'name, plan'],
  [{ type: 'identify', traits: null }, ''],
  [{ type: 'track', event: { odd: true } }, '{"odd":true}'],
])('the title of %j is %j', (message, title) => {
  expect(titleOf(message)).toBe(title);
});

test('the user of a row is the user id, or the anonymous id if there is none', () => {
  expect([userOf({ userId: 'u', anonymousId: 'a' }), userOf({ userId: null, anonymousId: 'a' }), userOf({})]).toEqual([
    'u',
    'a',
    '',
  ]);
});

test.each([
  [999, '999 B'],
  [13_450, '13.4 KB'],
  [2_000_000, '2.0 MB'],
])('a size of %d bytes is shown as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test.each([
  [0, '< 1 ms'],
  [0.42, '0.4 ms'],
  [9.96, '10 ms'],
  [999, '999 ms'],
  [999.7, '1.0 s'],
  [5_004, '5.0 s'],
])('a duration of %d milliseconds is shown as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each([
  [undefined, '–'],
  [null, '–'],
  [0, '0.0 %'],
  [0.9999, '99.9 %'],
  [1, '100 %'],
])('a share of %s is shown as %s', (share, text) => {
  expect(formatShare(share)).toBe(text);
});

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
])('a time span of %d ms is shown as %s', (ms, text) => {
  expect(formatSpan(ms)).toBe(text);
});

test('a time today is shown with seconds, and a time on another day with its date', () => {
  const noon = new Date(2026, 10, 20, 12, 4, 31, 207).getTime();
  expect(formatMoment(noon, noon + HOUR)).toBe('12:04:31');
  expect(formatMoment(new Date(noon).toISOString(), noon)).toBe('12:04:31');
  expect(formatMoment(noon, noon + 24 * HOUR)).toBe('2026-11-20 12:04');
  expect(formatMoment('soon', noon)).toBe('soon');
});

test('a time within twelve hours is shown without a date, even across midnight', () => {
  const late = new Date(2026, 10, 20, 23, 50).getTime();
  expect(formatMinute(late, late + HOUR)).toBe('23:50');
  expect(formatMinute(late + HOUR, late)).toBe('00:50');
  expect(formatMinute(late, late + 13 * HOUR)).toBe('2026-11-20 23:50');
  expect(formatMinute('soon', late)).toBe('soon');
});

test('a missing time is shown as `never`', () => {
  expect(formatAgo(undefined, 0)).toBe('never');
  expect(formatAgo(null, 0)).toBe('never');
  expect(formatAgo(0, 12 * SECOND)).toBe('12 s ago');
});

test.each([
  [[], ''],
  [['CRM'], 'CRM'],
  [['CRM', 'Warehouse'], 'CRM, Warehouse'],
  [['CRM', 'Warehouse', ...Array(1_498).fill('x')], 'CRM, Warehouse and 1,498 more'],
])('the names %o are shown as the first few and the number of the rest', (names, text) => {
  expect(firstNames(names)).toBe(text);
});
