import { expect, test } from 'vitest';
import { inSlices } from '../../../src/service/api/in-slices.js';

test('many items are processed in slices, and other work gets a turn between them', async () => {
  const seen: string[] = [];
  const outcomes = await inSlices([1, 2, 3, 4, 5], 2, async (slice) => {
    seen.push(slice.join());
    setImmediate(() => seen.push('another'));
    return slice.map((each) => each * 10);
  });
  expect(outcomes).toEqual([10, 20, 30, 40, 50]);
  expect(seen).toEqual(['1,2', 'another', '3,4', 'another', '5']);
});

test('an empty list has no results', async () => {
  expect(await inSlices([], 2, async () => ['never'])).toEqual([]);
});
