import { expect, test } from 'vitest';
import { MOST_DELIVERIES, partsOf } from '../../../src/store/redis/script-bounds.js';

test('a list is cut into parts that one script can look after, and nothing of it is left out', () => {
  const items = Array.from({ length: 2 * MOST_DELIVERIES + 1 }, (_, index) => index);
  expect(partsOf(items).map(({ length }) => length)).toEqual([MOST_DELIVERIES, MOST_DELIVERIES, 1]);
  expect(partsOf(items).flat()).toEqual(items);
  expect(partsOf([])).toEqual([]);
});
