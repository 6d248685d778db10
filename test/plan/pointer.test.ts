import { expect, test } from 'vitest';
import { keysIn, keysOfRef, pointerOf } from '../../src/plan/pointer.js';

test.each<[(string | number)[], string]>([
  [[], ''],
  [['a', 0], '/a/0'],
  [['a/b', '~1', ''], '/a~1b/~01/'],
])('the keys %j make the JSON pointer %j', (keys, pointer) => {
  expect(pointerOf(keys)).toBe(pointer);
  expect(keysIn({}, pointer)).toEqual(keys.map(String));
});

test('a key of a list becomes a number, and one of an object that looks like a number does not', () => {
  expect(keysIn({ a: [{ 0: [1, 2] }] }, '/a/0/0/1')).toEqual(['a', 0, '0', 1]);
});

test.each([
  ['#', []],
  ['#/$defs/a%20b', ['$defs', 'a b']],
  ['#/$defs/%', undefined],
  ['#anchor', undefined],
  ['https://example.com/#/a', undefined],
])('the reference %j has the keys %j', (ref, keys) => {
  expect(keysOfRef(ref)).toEqual(keys);
});
