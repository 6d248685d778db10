import { expect, test } from 'vitest';
import { MOST_DELIVERIES, partsByWeight, partsOf } from '../../../src/store/redis/script-bounds.js';

test('a list is split into parts for one script each, and no item is lost', () => {
  const items = Array.from({ length: 2 * MOST_DELIVERIES + 1 }, (_, index) => index);
  expect(partsOf(items).map(({ length }) => length)).toEqual([MOST_DELIVERIES, MOST_DELIVERIES, 1]);
  expect(partsOf(items).flat()).toEqual(items);
  expect(partsOf([])).toEqual([]);
});

test('parts are filled up to the weight limit, a heavier item is alone, and a weight may depend on the item before', () => {
  expect(partsByWeight([4, 5, 2, 11, 1, 9, 1], 10, (item) => item)).toEqual([[4, 5], [2], [11], [1, 9], [1]]);
  expect(partsByWeight(['a', 'a', 'a', 'b', 'a'], 6, (item, before) => (item === before ? 1 : 4))).toEqual([
    ['a', 'a', 'a'],
    ['b'],
    ['a'],
  ]);
});
