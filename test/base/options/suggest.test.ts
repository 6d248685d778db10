import { expect, test } from 'vitest';
import { didYouMean, suggest } from '../../../src/base/options/suggest.js';

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

test('a name that is too long to compare gets no suggestion', () => {
  expect(suggest('x'.repeat(100_000), ['x'.repeat(100_001)])).toBeUndefined();
});

test.each([
  ['nmae', '; did you mean name?'],
  ['x', ''],
])('the hint for %j is %j', (given, hint) => {
  expect(didYouMean(given, NAMES)).toBe(hint);
});
