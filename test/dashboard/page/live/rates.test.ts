import { expect, test } from 'vitest';
import { Rates } from '../../../../src/dashboard/page/live/rates.js';

test('rates count the events of each full second, and drop older seconds', () => {
  const rates = new Rates(3);
  rates.add(10_999, 2);
  rates.add(11_000, 1);
  rates.add(12_500, 5);
  expect(rates.until(13_100)).toEqual([2, 1, 5]);
  expect(rates.until(15_000)).toEqual([5, 0, 0]);
  expect(rates.until(99_000)).toEqual([0, 0, 0]);
});
