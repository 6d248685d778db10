import { expect, test } from 'vitest';
import { AbortedError } from '../../../src/base/errors/errors.js';
import type { Batch } from '../../../src/client/queue/batch.js';
import { DiskBacklog } from '../../../src/client/queue/disk-backlog.js';
import { LiveBatches } from '../../../src/client/queue/live-batches.js';
import { StatsCounter } from '../../../src/client/queue/stats.js';
import { settled } from '../../support/fake-clock.js';
import { journalOf } from './batch-journal.js';
import { batchOf } from './collector.js';

/** Live batches, and what the reporter was told: indexes of messages, and the code of their error. */
function liveBatches(disk?: DiskBacklog) {
  const told: (readonly [from: number, to: number, code: string | undefined])[] = [];
  const counter = new StatsCounter();
  const reporter = {
    ended: (_: Batch, from: number, to: number, errorOf?: (index: number) => { code: string } | undefined) =>
      told.push([from, to, errorOf?.(from)?.code]),
  };
  const live = new LiveBatches({ counter, reporter, disk, queue: { noteRoom() {} } });
  const add = (messages: number): Batch => {
    const batch = batchOf(messages);
    for (let index = 0; index < messages; index++) counter.accept(batch.bytesOf(index, index + 1));
    live.add(batch);
    return batch;
  };
  const end = (batch: Batch): void => live.settle(batch, batch.count);
  return { live, add, end, counter, told };
}

/** Sends a batch once, like a request. */
const sent = (batch: Batch): Batch => {
  batch.body(0, batch.count, '2026-11-20T12:00:00.000Z');
  return batch;
};

/** Records whether a promise has resolved. */
function watch(promise: Promise<void>): { isOver: boolean } {
  const watched = { isOver: false };
  void promise.then(() => {
    watched.isOver = true;
  });
  return watched;
}

test('live batches are listed in the order in which they were added, as a copy', () => {
  const { live, add, end } = liveBatches();
  const [first] = [add(1), add(2)];
  const listed = live.toArray();
  end(first);
  expect(listed.map(({ count }) => count)).toEqual([1, 2]);
  expect(live.toArray().map(({ count }) => count)).toEqual([2]);
  expect(live.isEmpty).toBe(false);
});

test('a wait for live batches ends with the last of those that existed when it began', async () => {
  const { live, add, end } = liveBatches();
  const first = add(1);
  const early = watch(live.allGone());
  const second = add(1);
  const both = watch(live.allGone());
  add(1);
  end(second);
  await settled();
  expect([early.isOver, both.isOver]).toEqual([false, false]);
  end(first);
  await settled();
  expect([early.isOver, both.isOver]).toEqual([true, true]);
});

test.each([
  ['without a journal', () => undefined],
  ['with a journal', () => new DiskBacklog(journalOf())],
])(
  'live batches keep the memory of one that was sent once for the next %s, and none after all have ended',
  (_, disk) => {
    const { live, add, end } = liveBatches(disk());
    end(sent(add(1)));
    expect(live.takeSpare()).toBeUndefined();
    const running = add(1);
    end(add(1));
    expect(live.takeSpare()).toBeUndefined();
    const ended = sent(add(1));
    end(ended);
    expect([live.takeSpare(), live.takeSpare()]).toEqual([ended, undefined]);
    end(sent(add(1)));
    end(running);
    expect(live.takeSpare()).toBeUndefined();
  },
);

test('a batch keeps its memory while some of its messages are still to be sent', () => {
  const { live, add } = liveBatches();
  add(1);
  const batch = add(3);
  batch.body(0, 1, '2026-11-20T12:00:00.000Z');
  live.settle(batch, 1);
  expect(live.takeSpare()).toBeUndefined();
});

test('ended messages are counted and reported in the order of the calls, except those that were dropped before', () => {
  const { live, add, counter, told } = liveBatches();
  const batch = add(5);
  live.drop(batch, [1, 3], new AbortedError('a test says so'));
  live.settle(batch, 2);
  live.settle(batch, 5, (index) => (index === 4 ? new AbortedError('a test says so') : undefined));
  expect(told).toEqual([
    [0, 1, undefined],
    [2, 3, undefined],
    [4, 5, 'EVENTFERRY_ABORTED'],
  ]);
  expect(counter).toMatchObject({ accepted: 5, delivered: 2, lost: 3, pendingMessages: 0, pendingBytes: 0 });
});

test('the newest message is copied unless it is in the given batch, was dropped or was unloaded', () => {
  const { live, add } = liveBatches();
  const [first, last] = [add(1), add(3)];
  const newest = (batch: Batch) => {
    const json = live.newestOutside(batch);
    return json && new TextDecoder().decode(json);
  };
  expect([newest(first), newest(last)]).toEqual(['2', undefined]);
  live.drop(last, [2], new AbortedError('a test says so'));
  expect(newest(first)).toBeUndefined();
  const unloaded = add(2);
  expect(newest(first)).toBe('1');
  unloaded.unload();
  expect(newest(first)).toBeUndefined();
});

test('abandoning a batch counts all messages that had not ended, even if the journal holds fewer of them', () => {
  const { live, add, counter, told } = liveBatches(new DiskBacklog({ ...journalOf(), heldOf: () => 1 }));
  const batch = add(4);
  live.settle(batch, 2);
  live.abandon(batch, new AbortedError('a test says so'));
  expect(counter).toMatchObject({ accepted: 4, delivered: 2, lost: 2, pendingMessages: 0, pendingBytes: 0 });
  expect(told).toEqual([
    [0, 2, undefined],
    [2, 4, 'EVENTFERRY_ABORTED'],
  ]);
});
