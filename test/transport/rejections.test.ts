import { expect, test } from 'vitest';
import { rejectionsOf } from '../../src/transport/rejections.js';

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
  '{"rejected":[',
  '{"rejected":7}',
  '{"rejected":[null,7,{},{"index":"3"}]}',
  '"rejected"',
])('an answer that refuses none is no reason to lose any: %s', (body) => {
  expect(rejectionsOf(body)).toEqual([]);
});
