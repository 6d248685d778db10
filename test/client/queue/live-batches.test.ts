import { expect, test } from 'vitest';
import { LiveBatches } from '../../../src/client/queue/live-batches.js';
import { settled } from '../../support/fake-clock.js';
import { batchOf } from './collector.js';

/** Notes when a promise has resolved. */
function watch(promise: Promise<void>): { isOver: boolean } {
  const watched = { isOver: false };
  void promise.then(() => {
    watched.isOver = true;
  });
  return watched;
}

test('live batches are listed in the order in which they came, as a copy', () => {
  const live = new LiveBatches();
  const [first, second] = [batchOf(1), batchOf(2)];
  for (const batch of [first, second]) live.add(batch);
  const listed = live.toArray();
  live.delete(first);
  expect(listed.map(({ count }) => count)).toEqual([1, 2]);
  expect(live.toArray().map(({ count }) => count)).toEqual([2]);
  expect(live.isEmpty).toBe(false);
});

test('a wait for live batches ends with the last of those that were there when it began', async () => {
  const live = new LiveBatches();
  const [first, second, later] = [batchOf(1), batchOf(1), batchOf(1)];
  live.add(first);
  const early = watch(live.allGone());
  live.add(second);
  const both = watch(live.allGone());
  live.add(later);
  live.delete(second);
  await settled();
  expect([early.isOver, both.isOver]).toEqual([false, false]);
  live.delete(first);
  await settled();
  expect([early.isOver, both.isOver]).toEqual([true, true]);
});

test('live batches keep one that has ended for the next, and none once all have ended', () => {
  const live = new LiveBatches();
  const [ended, running] = [batchOf(1), batchOf(1)];
  live.keepSpare(ended);
  expect(live.takeSpare()).toBeUndefined();
  live.add(running);
  live.keepSpare(ended);
  expect([live.takeSpare(), live.takeSpare()]).toEqual([ended, undefined]);
  live.keepSpare(ended);
  live.delete(running);
  expect(live.takeSpare()).toBeUndefined();
});
