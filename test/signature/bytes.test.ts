import { createContext, runInContext } from 'node:vm';
import { expect, test } from 'vitest';
import { assertRaw, isRaw, isSameText } from '../../src/signature/bytes.js';

test.each([
  ['a string', ''],
  ['a Buffer', Buffer.from('x')],
  ['a Uint8Array of another realm', runInContext('new Uint8Array(1)', createContext())],
])('isRaw accepts %s', (_, body) => {
  expect(isRaw(body)).toBe(true);
});

test.each([
  [{ type: 'track' }, 'an object'],
  [[], 'an array'],
  [null, 'null'],
  [undefined, 'undefined'],
  [7, 'a number'],
  [{ [Symbol.toStringTag]: 'Uint8Array' }, 'a Uint8Array'],
  [Object.create(Uint8Array.prototype), 'an object'],
])('%j is refused as a body, and the error calls it %s', (body, received) => {
  expect(() => assertRaw(body)).toThrow(
    expect.objectContaining({
      code: 'EVENTFERRY_WEBHOOKS_RAW_BODY',
      message: expect.stringContaining(`a Uint8Array or a string, got ${received}.`),
    }),
  );
});

const BYTES = 'Pass its bytes: new Uint8Array(body';
const READ = 'Pass its bytes: new Uint8Array(await new Response(body).arrayBuffer())';

test.each<[unknown, string]>([
  [new ArrayBuffer(1), `got an ArrayBuffer. ${BYTES})`],
  [new SharedArrayBuffer(1), `got a SharedArrayBuffer. ${BYTES})`],
  [new Uint16Array(1), `got a Uint16Array. ${BYTES}.buffer, body.byteOffset, body.byteLength)`],
  [new DataView(new ArrayBuffer(1)), `got a DataView. ${BYTES}.buffer, body.byteOffset, body.byteLength)`],
  [new Blob(['x']), `got a Blob. ${READ}`],
  [new ReadableStream(), `got a ReadableStream. ${READ}`],
  [Promise.resolve(''), 'got a Promise. Await it first'],
  [{ type: 'track' }, 'got an object. Keep the bytes before anything parses them'],
])('the error for %s as a body says how to get the bytes', (body, message) => {
  expect(() => assertRaw(body)).toThrow(message);
});

test.each([
  ['abc', 'abc', true],
  ['abc', 'abd', false],
  ['abc', 'abcd', false],
  ['', '', true],
  // These have the same number of UTF-16 units, but not of bytes.
  ['é', 'e', false],
])('isSameText compares "%s" and "%s": %s', (given, expected, isSame) => {
  expect(isSameText(given, expected)).toBe(isSame);
});
