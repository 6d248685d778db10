import { describe, expect, test } from 'vitest';
import { FilteredReceipt, QueuedReceipt, RefusedReceipt } from '../../../src/client/queue/receipt.js';
import { Results } from '../../../src/client/queue/results.js';
import { AbortedError } from '../../../src/errors.js';

const error = new AbortedError('a test says so');

test('who asks before the end is told at the end', async () => {
  const results = new Results();
  const [first, second] = [results.of(0), results.of(1)];
  results.endUpTo(2, (index) => (index === 1 ? error : undefined));
  await expect(first).resolves.toBeUndefined();
  await expect(second).rejects.toBe(error);
});

test('who asks after the end is told the same', async () => {
  const results = new Results();
  results.endUpTo(2, (index) => (index === 1 ? error : undefined));
  await expect(results.of(0)).resolves.toBeUndefined();
  await expect(results.of(1)).rejects.toBe(error);
});

test('a batch may end part by part', async () => {
  const results = new Results();
  const third = results.of(2);
  results.endUpTo(2);
  expect(results.ended).toBe(2);
  results.endUpTo(3, () => error);
  await expect(third).rejects.toBe(error);
  expect(results.ended).toBe(3);
});

test('everyone who asks about one message is told', async () => {
  const results = new Results();
  const both = Promise.all([results.of(0), results.of(0)]);
  results.endUpTo(1);
  await expect(both).resolves.toHaveLength(2);
});

test('each loss is told by its place', () => {
  const results = new Results();
  results.endUpTo(2);
  expect(results.hasLosses).toBe(false);
  results.endUpTo(5, (index) => (index === 3 ? error : undefined));
  expect(results.hasLosses).toBe(true);
  expect([2, 3, 4].map((index) => results.lossOf(index))).toEqual([undefined, error, undefined]);
});

describe('a receipt', () => {
  test('shows the id and nothing of the queue', () => {
    expect(Object.keys(new QueuedReceipt('m1', new Results(), 0))).toEqual(['messageId']);
  });

  test('makes a promise only for who reads it', async () => {
    const refused = new RefusedReceipt('m1', error);
    expect(refused.messageId).toBe('m1');
    await expect(refused.delivered).rejects.toBe(error);
  });

  test('says that it is filtered only when nothing is sent', async () => {
    const queued = new QueuedReceipt('m1', new Results(), 0);
    const filtered = new FilteredReceipt('m1');
    expect([queued, new RefusedReceipt('m1', error), filtered].map((receipt) => receipt.filtered)).toEqual([
      false,
      false,
      true,
    ]);
    await expect(filtered.delivered).resolves.toBeUndefined();
  });
});
