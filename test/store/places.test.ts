import { expect, test } from 'vitest';
import { Places } from '../../src/store/queue-key.js';

test('places in one millisecond increase, and those of the next millisecond come after them', () => {
  const places = new Places();
  const taken = [7, 7, 7, 8].map((now) => places.next(now));
  expect(taken).toEqual([7, 7 + 1 / 1_024, 7 + 2 / 1_024, 8]);
});

test('a place is after the one before it even if the clock was set back', () => {
  const places = new Places(3_600_000);
  expect([places.next(5), places.next(6)]).toEqual([3_600_000 + 1 / 1_024, 3_600_000 + 2 / 1_024]);
});

test('a million places within one millisecond are all different', () => {
  const places = new Places();
  let last = 0;
  for (let count = 0; count < 1_000_000; count++) {
    const place = places.next(1_800_000_000_000);
    if (place <= last) throw new Error(`place ${count} is not behind the one before it`);
    last = place;
  }
  expect(last).toBeLessThan(1_800_000_001_000);
});
