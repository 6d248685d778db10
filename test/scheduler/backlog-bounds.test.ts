import { expect, test } from 'vitest';
import { type Bounds, excessOf, UNBOUNDED } from '../../src/scheduler/backlog-bounds.js';

test.each<[string, Partial<Bounds>, number]>([
  ['no bound', {}, 0],
  ['room for all', { events: 10, bytes: 1_000 }, 0],
  ['room for eight events', { events: 8 }, 2],
  ['room for 950 of 1,000 bytes, at a hundred bytes each', { bytes: 950 }, 1],
  ['room for 900 bytes', { bytes: 900 }, 1],
  ['room for 899 bytes', { bytes: 899 }, 2],
  ['both limits, of which the stricter applies', { events: 9, bytes: 500 }, 5],
  ['room for nothing', { events: 0 }, 10],
])('with %s, %j, the number of ten deliveries that exceed the limits is %i', (_, bounds, excess) => {
  expect(excessOf({ first: 7, retry: 3, bytes: 1_000 }, { ...UNBOUNDED, ...bounds })).toBe(excess);
});

test('no delivery exceeds the limits if none waits', () => {
  expect(excessOf({ first: 0, retry: 0, bytes: 0 }, { events: 0, bytes: 1, ageMs: 1 })).toBe(0);
});
