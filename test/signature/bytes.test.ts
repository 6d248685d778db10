import { createContext, runInContext } from 'node:vm';
import { expect, test } from 'vitest';
import { assertRaw, isRaw, isSameText } from '../../src/signature/bytes.js';

test.each([
  ['a string', ''],
  ['a Buffer', Buffer.from('x')],
  ['a Uint8Array of another realm', runInContext('new Uint8Array(1)', createContext())],
])('%s is the raw bytes of a body', (_, body) => {
  expect(isRaw(body)).toBe(true);
});

test.each([
  [{ type: 'track' }, 'an object'],
  [[], 'an array'],
  [null, 'null'],
  [undefined, 'undefined'],
  [7, 'number'],
  [new Uint16Array(1), 'an object'],
  [new DataView(new ArrayBuffer(1)), 'an object'],
  [{ [Symbol.toStringTag]: 'Uint8Array' }, 'an object'],
  [Object.create(Uint8Array.prototype), 'an object'],
])('%j in place of a body is refused as %s', (body, received) => {
  expect(() => assertRaw(body)).toThrow(
    expect.objectContaining({
      code: 'EVENTFERRY_WEBHOOKS_RAW_BODY',
      message: expect.stringContaining(`a Uint8Array or a string, got ${received}.`),
    }),
  );
});

test.each([
  ['abc', 'abc', true],
  ['abc', 'abd', false],
  ['abc', 'abcd', false],
  ['', '', true],
  // As many UTF-16 units, and not as many bytes.
  ['é', 'e', false],
])('that the signatures "%s" and "%s" are the same text is %s', (given, expected, isSame) => {
  expect(isSameText(given, expected)).toBe(isSame);
});
