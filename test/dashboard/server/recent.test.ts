import { expect, test } from 'vitest';
import { RecentMap } from '../../../src/dashboard/server/recent.js';

test('the map keeps the newest entries, and setting one again makes it the newest', () => {
  const map = new RecentMap<number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', 3);
  map.set('c', 4);
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([3, undefined, 4]);
  map.clear();
  expect(map.get('a')).toBeUndefined();
});
