import { describe, expect, test } from 'vitest';
import { AbortedError } from '../../src/errors.js';
import { Endings } from '../../src/queue/endings.js';
import { FilteredReceipt, QueuedReceipt, RefusedReceipt } from '../../src/queue/receipt.js';

const error = new AbortedError('a test says so');

test('who asks before the end is told at the end', async () => {
  const endings = new Endings();
  const [first, second] = [endings.of(0), endings.of(1)];
  endings.endUpTo(2, (index) => (index === 1 ? error : undefined));
  await expect(first).resolves.toBeUndefined();
  await expect(second).rejects.toBe(error);
});

test('who asks after the end is told the same', async () => {
  const endings = new Endings();
  endings.endUpTo(2, (index) => (index === 1 ? error : undefined));
  await expect(endings.of(0)).resolves.toBeUndefined();
  await expect(endings.of(1)).rejects.toBe(error);
});

test('a batch may end part by part', async () => {
  const endings = new Endings();
  const third = endings.of(2);
  endings.endUpTo(2);
  expect(endings.ended).toBe(2);
  endings.endUpTo(3, () => error);
  await expect(third).rejects.toBe(error);
  expect(endings.ended).toBe(3);
});

test('everyone who asks about one message is told', async () => {
  const endings = new Endings();
  const both = Promise.all([endings.of(0), endings.of(0)]);
  endings.endUpTo(1);
  await expect(both).resolves.toHaveLength(2);
});

test('each loss is told by its place', () => {
  const endings = new Endings();
  endings.endUpTo(2);
  expect(endings.hasLosses).toBe(false);
  endings.endUpTo(5, (index) => (index === 3 ? error : undefined));
  expect(endings.hasLosses).toBe(true);
  expect([2, 3, 4].map((index) => endings.lossOf(index))).toEqual([undefined, error, undefined]);
});

describe('a receipt', () => {
  test('shows the id and nothing of the queue', () => {
    expect(Object.keys(new QueuedReceipt('m1', new Endings(), 0))).toEqual(['messageId']);
  });

  test('makes a promise only for who reads it', async () => {
    const refused = new RefusedReceipt('m1', error);
    expect(refused.messageId).toBe('m1');
    await expect(refused.delivered).rejects.toBe(error);
  });

  test('says that it is filtered only when nothing is sent', async () => {
    const queued = new QueuedReceipt('m1', new Endings(), 0);
    const filtered = new FilteredReceipt('m1');
    expect([queued, new RefusedReceipt('m1', error), filtered].map((receipt) => receipt.filtered)).toEqual([
      false,
      false,
      true,
    ]);
    await expect(filtered.delivered).resolves.toBeUndefined();
  });
});
