import { expect, test } from 'vitest';
import { AbortedError } from '../../../src/base/errors/errors.js';
import { LeftInJournalError } from '../../../src/base/errors/journal-errors.js';
import { StoredWaiters } from '../../../src/client/journal/stored-waiters.js';
import { settled } from '../../support/fake-clock.js';
import { batchOf } from '../queue/collector.js';

const lost = new AbortedError('a test says so');

/** Makes waiters with flushes that the test settles one by one. */
function flushing() {
  const flushes: { resolve(): void; reject(error: unknown): void }[] = [];
  const errors: unknown[] = [];
  const waiters = new StoredWaiters(
    () => new Promise((resolve, reject) => flushes.push({ resolve, reject })),
    (error) => errors.push(error),
  );
  return { waiters, flushes, errors };
}

/** Tells whether a promise has settled after everything that can run has run. */
async function hasEnded(promise: Promise<void>): Promise<boolean> {
  let isOver = false;
  promise.finally(() => (isOver = true)).catch(() => {});
  await settled();
  return isOver;
}

test('if no flush is needed, a message is stored as soon as it is written', async () => {
  const waiters = new StoredWaiters(undefined, () => {});
  const stored = waiters.wait(batchOf(1), 0);
  expect(await hasEnded(stored)).toBe(false);
  waiters.noteWritten();
  await expect(stored).resolves.toBeUndefined();
});

test('if a flush is needed, a message is stored once a flush that began after its write has ended', async () => {
  const { waiters, flushes } = flushing();
  const batch = batchOf(2);
  const first = waiters.wait(batch, 0);
  waiters.noteWritten();
  const second = waiters.wait(batch, 1);
  waiters.noteWritten();
  expect(flushes).toHaveLength(1);
  flushes[0]?.resolve();
  await expect(first).resolves.toBeUndefined();
  expect(await hasEnded(second)).toBe(false);
  expect(flushes).toHaveLength(2);
  flushes[1]?.resolve();
  await expect(second).resolves.toBeUndefined();
});

test('nothing is flushed while no message waits to be stored', () => {
  const { waiters, flushes } = flushing();
  waiters.noteWritten();
  expect(flushes).toEqual([]);
});

test('a flush that fails is reported, and its messages wait for the next one', async () => {
  const { waiters, flushes, errors } = flushing();
  const error = new Error('disk');
  const stored = waiters.wait(batchOf(1), 0);
  waiters.noteWritten();
  flushes[0]?.reject(error);
  expect(await hasEnded(stored)).toBe(false);
  expect(errors).toEqual([error]);
  waiters.noteWritten();
  flushes[1]?.resolve();
  await expect(stored).resolves.toBeUndefined();
});

test('a message that was delivered before it was written counts as stored', async () => {
  const { waiters } = flushing();
  const batch = batchOf(2);
  const [first, second] = [waiters.wait(batch, 0), waiters.wait(batch, 1)];
  batch.results.endUpTo(1);
  waiters.noteEnded();
  await expect(first).resolves.toBeUndefined();
  expect(await hasEnded(second)).toBe(false);
});

test('`stored` of a message that was lost before it was written rejects with the reason', async () => {
  const { waiters } = flushing();
  const batch = batchOf(1);
  const stored = waiters.wait(batch, 0);
  batch.results.endUpTo(1, () => lost);
  waiters.noteEnded();
  await expect(stored).rejects.toBe(lost);
});

test('`stored` of a message that was lost during the flush rejects with the reason', async () => {
  const { waiters, flushes } = flushing();
  const batch = batchOf(1);
  const stored = waiters.wait(batch, 0);
  waiters.noteWritten();
  batch.results.endUpTo(1, () => lost);
  waiters.noteEnded();
  flushes[0]?.resolve();
  await expect(stored).rejects.toBe(lost);
});

test('a message that was delivered before its flush failed does not wait for another flush', async () => {
  const { waiters, flushes } = flushing();
  const batch = batchOf(1);
  const stored = waiters.wait(batch, 0);
  waiters.noteWritten();
  batch.results.endUpTo(1);
  waiters.noteEnded();
  flushes[0]?.reject(new Error('disk'));
  await expect(stored).resolves.toBeUndefined();
});

test('a message that is left in the journal counts as stored', async () => {
  const { waiters } = flushing();
  const batch = batchOf(1);
  const stored = waiters.wait(batch, 0);
  batch.results.endUpTo(1, () => new LeftInJournalError('a test says so'));
  waiters.noteEnded();
  await expect(stored).resolves.toBeUndefined();
});

test('waiting for a message that has already ended settles at once', async () => {
  const { waiters } = flushing();
  const batch = batchOf(2);
  batch.results.endUpTo(2, (index) => (index === 1 ? lost : undefined));
  await expect(waiters.wait(batch, 0)).resolves.toBeUndefined();
  await expect(waiters.wait(batch, 1)).rejects.toBe(lost);
});

test('idle resolves when the running flush has ended', async () => {
  const { waiters, flushes } = flushing();
  await waiters.idle();
  void waiters.wait(batchOf(1), 0);
  waiters.noteWritten();
  const idle = waiters.idle();
  expect(await hasEnded(idle)).toBe(false);
  flushes[0]?.resolve();
  await expect(idle).resolves.toBeUndefined();
});

test('a message that was lost before a write does not become stored by that write', async () => {
  const waiters = new StoredWaiters(undefined, () => {});
  const batch = batchOf(2);
  const [first, second] = [waiters.wait(batch, 0), waiters.wait(batch, 1)];
  batch.results.endUpTo(2, (index) => (index === 0 ? new LeftInJournalError('') : lost));
  waiters.noteWritten();
  await expect(first).resolves.toBeUndefined();
  await expect(second).rejects.toBe(lost);
});
