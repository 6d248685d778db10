import { expect, test } from 'vitest';
import type { Batch } from '../../../src/client/queue/batch.js';
import { DiskBacklog } from '../../../src/client/queue/disk-backlog.js';
import { BatchDispatcher } from '../../../src/client/queue/dispatcher.js';
import { settled } from '../../support/fake-clock.js';
import { journalOf } from './batch-journal.js';
import { batchOf } from './collector.js';

/** A dispatcher whose requests the test ends one by one, in the order in which they began. Each batch has a different size. */
function start({ concurrency = 1, earlier = undefined as Batch[] | undefined, open = [] as Batch[] } = {}) {
  const disk = earlier && new DiskBacklog(journalOf(earlier));
  const sent: number[] = [];
  const ends: (() => void)[] = [];
  const idle = { times: 0 };
  const admitted: number[] = [];
  const dispatcher = new BatchDispatcher({
    concurrency,
    disk,
    delivery: {
      deliver(batch) {
        sent.push(batch.count);
        return new Promise((resolve) => ends.push(resolve));
      },
    },
    queue: {
      takeOpen: () => open.shift(),
      admit: (batch) => void admitted.push(batch.count),
      restIfDone: () => void idle.times++,
    },
  });
  const endNext = async (): Promise<void> => {
    ends.shift()?.();
    await settled();
  };
  return { dispatcher, disk, sent, idle, admitted, endNext };
}

test("a dispatcher starts sending after its caller's code has run", async () => {
  const { dispatcher, sent } = start();
  dispatcher.push(batchOf(1));
  expect(sent).toEqual([]);
  await settled();
  expect(sent).toEqual([1]);
});

test.each([1, 2])('a dispatcher sends batches in order, %i at once', async (concurrency) => {
  const { dispatcher, sent, endNext } = start({ concurrency });
  for (const size of [1, 2, 3]) dispatcher.push(batchOf(size));
  await settled();
  expect(sent).toEqual([1, 2, 3].slice(0, concurrency));
  await endNext();
  expect(sent).toEqual([1, 2, 3].slice(0, concurrency + 1));
});

test('a dispatcher sends batches of earlier processes first, then full ones, then the open one', async () => {
  const { dispatcher, sent, admitted, endNext } = start({ earlier: [batchOf(1)], open: [batchOf(3)] });
  dispatcher.push(batchOf(2));
  await settled();
  expect([sent, admitted]).toEqual([[1], [1]]);
  await endNext();
  expect(sent).toEqual([1, 2]);
  await endNext();
  expect(sent).toEqual([1, 2, 3]);
});

test('a dispatcher reports that it is idle when a request is free and no batch waits for it', async () => {
  const { dispatcher, idle, endNext } = start();
  dispatcher.push(batchOf(1));
  await settled();
  expect(idle.times).toBe(0);
  await endNext();
  expect(idle.times).toBe(1);
});

test('a batch that is being sent counts as taken by the disk backlog', async () => {
  const { dispatcher, disk } = start({ earlier: [] });
  const batch = batchOf(3);
  dispatcher.push(batch);
  await settled();
  expect(disk?.takenBytes).toBe(batch.bytesOf(0, 3));
});

test('a dispatcher that is cleared drops the waiting batches and continues with later ones', async () => {
  const { dispatcher, sent, endNext } = start();
  for (const size of [1, 2]) dispatcher.push(batchOf(size));
  await settled();
  dispatcher.clear();
  dispatcher.push(batchOf(3));
  await endNext();
  expect(sent).toEqual([1, 3]);
});

test('a closed dispatcher sends nothing more, not even a batch of an earlier process that was being read', async () => {
  const { dispatcher, sent, endNext } = start({ earlier: [batchOf(1)] });
  dispatcher.push(batchOf(1));
  await Promise.resolve();
  dispatcher.isClosed = true;
  await settled();
  await endNext();
  expect(sent).toEqual([]);
});

test('sendAtOnce sends the batches that fit, however many requests run', async () => {
  const { dispatcher, sent, endNext } = start();
  const batches = [1, 2, 3, 1].map(batchOf);
  for (const batch of batches) dispatcher.push(batch);
  const bytes = (index: number) => batches[index]?.bytes ?? 0;
  dispatcher.sendAtOnce(bytes(0) + bytes(1) + bytes(3));
  expect(sent).toEqual([1, 2, 1]);
  for (let ended = 0; ended < 3; ended++) await endNext();
  expect(sent).toEqual([1, 2, 1, 3]);
});

test('clear returns the waiting batches', () => {
  const { dispatcher } = start();
  const batch = batchOf(1);
  dispatcher.push(batch);
  expect(dispatcher.clear()).toEqual([batch]);
  expect(dispatcher.clear()).toEqual([]);
});

test('a wait for earlier processes ends when the journal finds none while another batch is being sent', async () => {
  const earlier = { hasMore: false };
  const journal = Object.defineProperty(journalOf(), 'hasMore', { get: () => earlier.hasMore });
  const disk = new DiskBacklog(journal);
  let end = (): void => {};
  const delivery = {
    deliver: (): Promise<void> =>
      new Promise((resolve) => {
        end = resolve;
      }),
  };
  const queue = { takeOpen: () => undefined, admit() {}, restIfDone() {} };
  const dispatcher = new BatchDispatcher({ concurrency: 1, disk, delivery, queue });
  dispatcher.push(batchOf(1));
  await settled();
  earlier.hasMore = true;
  const waiting = disk.earlierSent();
  earlier.hasMore = false;
  end();
  await expect(waiting).resolves.toBeUndefined();
});
