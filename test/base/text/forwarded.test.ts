import { expect, test } from 'vitest';
import { forwarded } from '../../../src/base/text/forwarded.js';

test.each([
  ['a', 0, undefined],
  ['a', 1, 'a'],
  ['forged, a', 1, 'a'],
  ['forged, a, b', 2, 'a'],
  ['a', 2, 'a'],
  ['', 1, undefined],
  [undefined, 1, undefined],
])('of the list %j with %i trusted proxies, %j counts', (list, trustedProxies, expected) => {
  expect(forwarded(list, trustedProxies)).toBe(expected);
});
