import { expect, test } from 'vitest';
import { httpDateMs, LONGEST_RETRY_AFTER_MS, retryAfterMs } from '../../../src/base/time/retry-after.js';

const now = Date.UTC(2026, 10, 20, 12);

test.each([
  ['seconds', '7', 7_000],
  ['seconds between spaces', ' 7 ', 7_000],
  ['fractions of a second', '0.5', 500],
  ['zero seconds', '0', 0],
  ['an HTTP date', 'Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
  ['the date format of RFC 850', 'Friday, 20-Nov-26 12:00:30 GMT', 30_000],
  ['the date format of asctime', 'Fri Nov 20 12:00:30 2026', 30_000],
  ['a date in the past', 'Fri, 20 Nov 2026 11:00:00 GMT', 0],
  ['more seconds than allowed', '86400', LONGEST_RETRY_AFTER_MS],
  ['a date in the far future', 'Fri, 20 Nov 2027 12:00:00 GMT', LONGEST_RETRY_AFTER_MS],
])('a Retry-After with %s is understood', (_, header, expected) => {
  expect(retryAfterMs(header, now)).toBe(expected);
});

test.each([undefined, '', 'soon', '-1', '1e3', 'NaN', '2026-11-20', 'Infinity', '12:00:30'])(
  'a Retry-After of %j asks for no wait',
  (header) => {
    expect(retryAfterMs(header, now)).toBeUndefined();
  },
);

test('a caller that can wait longer sets its own limit', () => {
  expect(retryAfterMs('86400', now, Number.MAX_SAFE_INTEGER)).toBe(86_400_000);
  expect(retryAfterMs('9'.repeat(400), now, Number.MAX_SAFE_INTEGER)).toBe(Number.MAX_SAFE_INTEGER);
});

test.each([
  ['Fri, 20 Nov 2026 12:00:00 GMT', now],
  ['Friday, 20-Nov-26 12:00:00 GMT', now],
  ['Fri Nov 20 12:00:00 2026', now],
  ['2026-11-20T12:00:00Z', undefined],
  ['Fri, 99 Nov 2026 12:00:00 GMT', undefined],
  [undefined, undefined],
])('httpDateMs parses the date %j as %j', (header, ms) => {
  expect(httpDateMs(header)).toBe(ms);
});
