import { expect, test } from 'vitest';
import { AbortedError } from '../../../src/base/errors/errors.js';
import { Results } from '../../../src/client/queue/receipt.js';

const error = new AbortedError('a test says so');

test('a result that is requested before its message has ended arrives when the message ends', async () => {
  const results = new Results();
  const [first, second] = [results.of(0), results.of(1)];
  results.endUpTo(2, (index) => (index === 1 ? error : undefined));
  await expect(first).resolves.toBeUndefined();
  await expect(second).rejects.toBe(error);
});

test('a result that is requested after its message has ended is the same', async () => {
  const results = new Results();
  results.endUpTo(2, (index) => (index === 1 ? error : undefined));
  await expect(results.of(0)).resolves.toBeUndefined();
  await expect(results.of(1)).rejects.toBe(error);
});

test('the messages of a batch may end in parts', async () => {
  const results = new Results();
  const third = results.of(2);
  results.endUpTo(2);
  expect(results.ended).toBe(2);
  results.endUpTo(3, () => error);
  await expect(third).rejects.toBe(error);
  expect(results.ended).toBe(3);
});

test('the result of a message is given to each caller that requests it', async () => {
  const results = new Results();
  const both = Promise.all([results.of(0), results.of(0)]);
  results.endUpTo(1);
  await expect(both).resolves.toHaveLength(2);
});

test('the results of a batch have each loss at its index', () => {
  const results = new Results();
  results.endUpTo(2);
  results.endUpTo(5, (index) => (index === 3 ? error : undefined));
  expect([2, 3, 4].map((index) => results.lossOf(index))).toEqual([undefined, error, undefined]);
});

test('a message that has not ended has no loss, whatever happened to those before it', async () => {
  const results = new Results();
  results.endUpTo(1, () => error);
  expect([results.lossOf(0), results.lossOf(1), results.hasEnded(1)]).toEqual([error, undefined, false]);
  results.endUpTo(2);
  await expect(results.of(1)).resolves.toBeUndefined();
});
