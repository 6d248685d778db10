import { expect, test } from 'vitest';
import { decodeUtf8, isJsonObject, parseJson } from '../../../src/base/text/decode.js';

test.each([
  [[0x61, 0xc3, 0xa9], 'aé'],
  [[0xef, 0xbb, 0xbf, 0x61], 'a'],
  [[0xff], undefined],
  [[0xc3], undefined],
])('decodeUtf8 of the bytes %j returns %j', (bytes, text) => {
  expect(decodeUtf8(Uint8Array.from(bytes))).toBe(text);
});

test('parseJson returns undefined for text that is not JSON', () => {
  expect([parseJson('{"a":1}'), parseJson('{'), parseJson('')]).toEqual([{ a: 1 }, undefined, undefined]);
});

test.each([
  [{}, true],
  [[], false],
  [null, false],
  ['{}', false],
])('isJsonObject of %j is %s', (value, expected) => {
  expect(isJsonObject(value)).toBe(expected);
});
