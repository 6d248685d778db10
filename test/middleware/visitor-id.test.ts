import { expect, test } from 'vitest';
import { isVisitorId } from '../../src/middleware/request-fields.js';
import { isUserId } from '../../src/protocol/user-id.js';

test.each([
  ['a1', true],
  ['日'.repeat(333), true],
  ['', false],
  ['日'.repeat(334), false],
  ['\ud800', false],
  ['\u0000', false],
  ['a\n1', false],
  ['a\u007f', false],
  ['undefined', false],
  [' ', false],
])('isVisitorId(%j) is %s', (id, isTaken) => {
  expect(isVisitorId(id)).toBe(isTaken);
  if (isTaken) expect(isUserId(id)).toBe(true);
});
