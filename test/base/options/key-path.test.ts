import { expect, test } from 'vitest';
import { type Keys, valueAt } from '../../../src/base/options/key-path.js';

test.each<[Keys, unknown]>([
  [[], { a: [{ b: 1 }] }],
  [['a', 0, 'b'], 1],
  [['a', '0', 'b'], 1],
  [['a', 1, 'b'], undefined],
  [['a', 0, 'b', 'c'], undefined],
  [['constructor'], undefined],
])('valueAt(%j) returns %j', (keys, value) => {
  expect(valueAt({ a: [{ b: 1 }] }, keys)).toEqual(value);
});
