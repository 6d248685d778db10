import { expect, test } from 'vitest';
import { suggest } from '../../../src/base/options/suggest.js';

const NAMES = ['name', 'writeKeys', 'destinations', 'trackSchema'];

test.each<[string, string | undefined]>([
  ['writeKey', 'writeKeys'],
  ['writekeys', 'writeKeys'],
  ['write_keys', 'writeKeys'],
  ['destination', 'destinations'],
  ['destniations', 'destinations'],
  ['nmae', 'name'],
  ['Name', 'name'],
  ['schema', undefined],
  ['keys', undefined],
  ['', undefined],
  ['x', undefined],
])('suggest recognises %j as a misspelt %j', (given, meant) => {
  expect(suggest(given, NAMES)).toBe(meant);
});

test('suggest returns undefined if there are no names', () => {
  expect(suggest('name', [])).toBeUndefined();
});
