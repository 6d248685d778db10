import { expect, test } from 'vitest';
import { rejectionsOf } from '../../../src/client/transport/rejections.js';

test('the refused messages are read with what the collector says about each', () => {
  const body = JSON.stringify({
    success: true,
    rejected: [{ index: 3, messageId: 'm', code: 'MESSAGE_TOO_LARGE', message: 'is 40000 bytes' }, { index: 5 }],
  });
  expect(rejectionsOf(body)).toEqual([
    { index: 3, reason: 'MESSAGE_TOO_LARGE: is 40000 bytes' },
    { index: 5, reason: '' },
  ]);
});

test.each([
  '',
  'OK',
  '{"success":true}',
  '{"rejected":[]}',
  '{"rejected":0}',
  '{"rejected":null}',
  '{"rejected":{}}',
  '"rejected"',
  '<html>the "rejected" of the day</html>',
])('an answer that refuses none is no reason to lose any: %s', (body) => {
  expect(rejectionsOf(body)).toEqual([]);
});

test.each([
  ['is broken', '{"rejected":['],
  ['was cut in a list', '{"rejected":[{"index":1},{"ind'],
  ['tells how many and not which', '{"rejected":7}'],
  ['names no place', '{"rejected":[{"index":1},{"messageId":"m"}]}'],
  ['names a place that is none', '{"rejected":[{"index":"3"}]}'],
  ['names a place before the first', '{"rejected":[{"index":-1}]}'],
  ['names nothing', '{"rejected":[null]}'],
])('an answer that %s has not told which are refused', (_, body) => {
  expect(rejectionsOf(body)).toBeUndefined();
});

test('an answer that was not read to its end has not told which are refused, whatever its beginning says', () => {
  expect(rejectionsOf('{"success":true', true)).toBeUndefined();
  expect(rejectionsOf('{"rejected":[]}', true)).toBeUndefined();
});

test('the reason of a rejection is printable, and cut at 200 characters', () => {
  const body = JSON.stringify({ rejected: [{ index: 0, code: 'BAD', message: `\u001b[2J${'x'.repeat(500)}` }] });
  const [rejection] = rejectionsOf(body) ?? [];
  expect(rejection?.reason).toBe(`BAD: \\u{1b}[2J${'x'.repeat(186)}…`);
});
