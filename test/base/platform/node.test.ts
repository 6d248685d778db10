import { expect, test } from 'vitest';
import { codeOfName, reasonOf } from '../../../src/base/platform/node.js';

test.each([
  ['HTTPParserError', 'HPE_INVALID'],
  ['TypeError', undefined],
  [undefined, undefined],
])('codeOfName for an error named %j returns the code %j', (name, code) => {
  expect(codeOfName(name)).toBe(code);
});

test('reasonOf shortens a message of OpenSSL to its reason', () => {
  const message = '80A1:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/ssl.c:350:';
  expect(reasonOf(message)).toBe('wrong version number');
});
