import { expect, test } from 'vitest';
import { formatBytes, formatDuration, formatShare, titleOf, userOf } from '../../../src/dashboard/page/format.js';

test.each([
  [{ type: 'track', event: 'Paid' }, 'Paid'],
  [{ type: 'page', category: 'Shop', name: 'Home' }, 'Shop / Home'],
  [{ type: 'screen', name: null }, ''],
  [{ type: 'group', groupId: 7 }, '7'],
  [{ type: 'alias', previousId: 'a1' }, 'was a1'],
  [{ type: 'identify', traits: { name: 'Ada', plan: 'pro' } }, 'name, plan'],
  [{ type: 'identify', traits: null }, ''],
  [{ type: 'track', event: { odd: true } }, '{"odd":true}'],
])('title of %j is %j', (message, title) => {
  expect(titleOf(message)).toBe(title);
});

test('row names the user id, or else the anonymous id', () => {
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
])('size of %d bytes is %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [5_004, '5.0 s'],
])('duration of %d milliseconds is %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each([
  [undefined, '–'],
  [null, '–'],
  [0, '0.0 %'],
  [0.9999, '99.9 %'],
  [1, '100 %'],
])('share of %s is %s', (share, text) => {
  expect(formatShare(share)).toBe(text);
});
