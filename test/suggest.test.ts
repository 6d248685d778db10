import { expect, test } from 'vitest';
import { suggest } from '../src/suggest.js';

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
])('whoever writes %j meant %j', (given, meant) => {
  expect(suggest(given, NAMES)).toBe(meant);
});

test('nothing is near where there is nothing', () => {
  expect(suggest('name', [])).toBeUndefined();
});
