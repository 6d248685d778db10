import { expect, test } from 'vitest';
import { codeOfName, reasonOf } from '../../../src/base/platform/node.js';

test.each([
  ['HTTPParserError', 'HPE_INVALID'],
  ['TypeError', undefined],
  [undefined, undefined],
])('an error without a code and of the name %j has the code %j', (name, code) => {
  expect(codeOfName(name)).toBe(code);
});

test('a message of OpenSSL is cut to its reason', () => {
  const message = '80A1:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/ssl.c:350:';
  expect(reasonOf(message)).toBe('wrong version number');
});
