import { expect, test } from 'vitest';
import { TurnBatch } from '../../../src/store/redis/turn-batch.js';

test('what is asked for in one turn is asked for together, and each gets its own answer', async () => {
  const asked: number[][] = [];
  const batch = new TurnBatch<number, number>(3, async (requests) => {
    asked.push([...requests]);
    return requests.map((request) => request * 10);
  });
  expect(await Promise.all([1, 2, 3, 4].map((request) => batch.ask(request)))).toEqual([10, 20, 30, 40]);
  expect(await batch.ask(5)).toBe(50);
  expect(asked).toEqual([[1, 2, 3], [4], [5]]);
});

test('a request that failed fails for all that were asked for with it, and for no others', async () => {
  const batch = new TurnBatch<number, number>(2, async (requests) => {
    if (requests.includes(1)) throw new Error('gone');
    return requests;
  });
  const ends = await Promise.allSettled([1, 2, 3].map((request) => batch.ask(request)));
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
});
