import { expect, test } from 'vitest';
import { TurnBatch } from '../../../src/store/redis/turn-batch.js';

test('requests of one turn are sent together, and each gets its own answer', async () => {
  const asked: number[][] = [];
  const batch = new TurnBatch<number, number>({ most: 3 }, async (requests) => {
    asked.push([...requests]);
    return requests.map((request) => request * 10);
  });
  expect(await Promise.all([1, 2, 3, 4].map((request) => batch.ask(request)))).toEqual([10, 20, 30, 40]);
  expect(await batch.ask(5)).toBe(50);
  expect(asked).toEqual([[1, 2, 3], [4], [5]]);
});

test('a failed batch fails for all its requests, and for no others', async () => {
  const batch = new TurnBatch<number, number>({ most: 2 }, async (requests) => {
    if (requests.includes(1)) throw new Error('gone');
    return requests;
  });
  const ends = await Promise.allSettled([1, 2, 3].map((request) => batch.ask(request)));
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
});

test('requests that arrive while a batch runs are sent together after its answer', async () => {
  const asked: number[][] = [];
  const answers: (() => void)[] = [];
  const batch = new TurnBatch<number, number>({ most: 3, waitMs: 60_000 }, async (requests) => {
    asked.push([...requests]);
    await new Promise<void>((resolve) => answers.push(resolve));
    return requests;
  });
  const first = batch.ask(1);
  await expect.poll(() => asked).toEqual([[1]]);
  const second = batch.ask(2);
  await new Promise(setImmediate);
  const third = batch.ask(3);
  await new Promise(setImmediate);
  expect(asked).toEqual([[1]]);
  answers.shift()?.();
  await first;
  await expect.poll(() => asked).toEqual([[1], [2, 3]]);
  answers.shift()?.();
  expect(await Promise.all([second, third])).toEqual([2, 3]);
});

test('a slow answer delays the next batch no longer than `waitMs`', async () => {
  const asked: number[][] = [];
  const batch = new TurnBatch<number, number>({ most: 3, waitMs: 1 }, (requests) => {
    asked.push([...requests]);
    return requests.includes(1) ? new Promise(() => undefined) : Promise.resolve(requests);
  });
  void batch.ask(1);
  await expect.poll(() => asked).toEqual([[1]]);
  expect(await batch.ask(2)).toBe(2);
});

test('a request that is heavier than the limit of a batch is sent alone', async () => {
  const asked: number[][] = [];
  const batch = new TurnBatch<number, number>({ most: 10, weightOf: (request) => request }, async (requests) => {
    asked.push([...requests]);
    return requests;
  });
  await Promise.all([4, 5, 20, 3, 7].map((request) => batch.ask(request)));
  expect(asked).toEqual([[4, 5], [20], [3, 7]]);
});

test('each request is weighed once, even if it starts a batch', async () => {
  let weighed = 0;
  const weightOf = (): number => {
    weighed++;
    return 2;
  };
  const batch = new TurnBatch<number, number>({ most: 2, weightOf }, async (requests) => [...requests]);
  expect(await Promise.all([1, 2, 3].map((request) => batch.ask(request)))).toEqual([1, 2, 3]);
  expect(weighed).toBe(3);
});
