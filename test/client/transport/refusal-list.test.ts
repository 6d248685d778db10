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
  ['is malformed', '{"rejected":['],
  ['is malformed after a line break', '\n{"rejected":['],
  ['was truncated inside a list', '{"rejected":[{"index":1},{"ind'],
  ['says how many but not which', '{"rejected":7}'],
  ['has no index', '{"rejected":[{"index":1},{"messageId":"m"}]}'],
  ['has an invalid index', '{"rejected":[{"index":"3"}]}'],
  ['has a negative index', '{"rejected":[{"index":-1}]}'],
  ['has null in its list', '{"rejected":[null]}'],
  ['has a word instead of the list', '"rejected"'],
  ['is a list of responses', '[{"rejected":[{"index":0}]}]'],
  ['is wrapped in an envelope', '{"data":{"rejected":[{"index":0}]}}'],
  ['has a second list', '{"rejected":[{"index":0}],"more":{"rejected":[{"index":1}]}}'],
  ['has a second list with the same name', '{"rejected":[{"index":0}],"rejected":[]}'],
  ['contains its JSON as a string', JSON.stringify('{"rejected":[{"index":0}]}')],
  ['is NDJSON', '{"success":true}\n{"rejected":[{"index":0}]}'],
  ['has a prefix against JSON hijacking', ')]}\',\n{"rejected":[{"index":0}]}'],
  ['has one index twice', '{"rejected":[{"index":0,"messageId":"a"},{"index":0,"messageId":"b"}]}'],
  ['has another name for the list', '{"results":[{"id":"a","result":"rejected"}]}'],
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
