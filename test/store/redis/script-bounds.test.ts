import { expect, test } from 'vitest';
import { MOST_DELIVERIES, partsByWeight, partsOf } from '../../../src/store/redis/script-bounds.js';

test('a list is cut into parts that one script can look after, and nothing of it is left out', () => {
  const items = Array.from({ length: 2 * MOST_DELIVERIES + 1 }, (_, index) => index);
  expect(partsOf(items).map(({ length }) => length)).toEqual([MOST_DELIVERIES, MOST_DELIVERIES, 1]);
  expect(partsOf(items).flat()).toEqual(items);
  expect(partsOf([])).toEqual([]);
});

test('a part has as much weight as it may, an item that is heavier is alone, and one may weigh less behind another', () => {
  expect(partsByWeight([4, 5, 2, 11, 1, 9, 1], 10, (item) => item)).toEqual([[4, 5], [2], [11], [1, 9], [1]]);
  expect(partsByWeight(['a', 'a', 'a', 'b', 'a'], 6, (item, before) => (item === before ? 1 : 4))).toEqual([
    ['a', 'a', 'a'],
    ['b'],
    ['a'],
  ]);
});
