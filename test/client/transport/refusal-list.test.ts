import { expect, test } from 'vitest';
import { rejectionsOf } from '../../../src/client/transport/refusal-list.js';

test("the refused messages are read with the collector's reason for each", () => {
  const body = JSON.stringify({
    success: true,
    rejected: [{ index: 3, messageId: 'm', code: 'MESSAGE_TOO_LARGE', message: 'is 40000 bytes' }, { index: 5 }],
  });
  expect(rejectionsOf(body)).toEqual([
    { index: 3, messageId: 'm', reason: 'MESSAGE_TOO_LARGE: is 40000 bytes' },
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
  '{"stats":{"rejected":0},"rejected":[]}',
  '{"id":"7","queued":[1,2],"status":"accepted"}',
  '{"status":200,"results":[{"status":201}]}',
  '{"success":false}',
  '{"error":"odd"}',
  '<html>the "rejected" of the day</html>',
])('a response that refuses nothing has an empty list: %s', (body) => {
  expect(rejectionsOf(body)).toEqual([]);
});

test.each([
  ['is broken', '{"rejected":['],
  ['is broken behind a line break', '\n{"rejected":['],
  ['was cut in a list', '{"rejected":[{"index":1},{"ind'],
  ['tells how many and not which', '{"rejected":7}'],
  ['names no place', '{"rejected":[{"index":1},{"messageId":"m"}]}'],
  ['names a place that is none', '{"rejected":[{"index":"3"}]}'],
  ['names a place before the first', '{"rejected":[{"index":-1}]}'],
  ['names nothing', '{"rejected":[null]}'],
  ['is a word', '"rejected"'],
  ['is a list of answers', '[{"rejected":[{"index":0}]}]'],
  ['is in an envelope', '{"data":{"rejected":[{"index":0}]}}'],
  ['has a second list', '{"rejected":[{"index":0}],"more":{"rejected":[{"index":1}]}}'],
  ['has a second list of the same name', '{"rejected":[{"index":0}],"rejected":[]}'],
  ['is JSON in a text', JSON.stringify('{"rejected":[{"index":0}]}')],
  ['is NDJSON', '{"success":true}\n{"rejected":[{"index":0}]}'],
  ['has a guard in front', ')]}\',\n{"rejected":[{"index":0}]}'],
  ['names one place twice', '{"rejected":[{"index":0,"messageId":"a"},{"index":0,"messageId":"b"}]}'],
  ['has another word for the list', '{"results":[{"id":"a","result":"rejected"}]}'],
])('a response that %s does not say which messages are refused', (_, body) => {
  expect(rejectionsOf(body)).toBeUndefined();
});

test('a truncated response does not say which messages are refused, whatever its beginning says', () => {
  expect(rejectionsOf('{"success":true', true)).toBeUndefined();
  expect(rejectionsOf('{"rejected":[]}', true)).toBeUndefined();
});

test('the reason of a rejection is printable and at most 200 characters long', () => {
  const body = JSON.stringify({ rejected: [{ index: 0, code: 'BAD', message: `\u001b[2J${'x'.repeat(500)}` }] });
  const [rejection] = rejectionsOf(body) ?? [];
  expect(rejection?.reason).toBe(`BAD: \\u{1b}[2J${'x'.repeat(185)}…`);
});
