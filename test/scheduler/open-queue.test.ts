import { expect, test } from 'vitest';
import { openQueue } from '../../src/scheduler/open-queue.js';
import type { QueueOptions } from '../../src/scheduler/queue.js';
import { ReadyQueue } from '../../src/scheduler/ready-queue.js';
import { SharedQueue } from '../../src/scheduler/shared-queue.js';
import type { EventStore } from '../../src/store/event-store.js';
import { memoryStorage } from '../../src/store/memory/memory-storage.js';
import { FakeClock } from '../support/fake-clock.js';

const openOver = (store: EventStore): unknown =>
  openQueue({
    ...{ store, url: 'https://crm.example/', windowMs: 1_000, backlog: 0, clock: new FakeClock() },
    ...{ room: () => 0, ahead: () => 0, onNews: () => {}, onCounted: () => {}, onError: () => {} },
  } satisfies QueueOptions);

test('the queue is in memory if the store has no lines, and otherwise takes from the lines', async () => {
  const store = await memoryStorage().deliveries('crm');
  expect(openOver(store)).toBeInstanceOf(ReadyQueue);
  expect(openOver(Object.assign(store, { lines: () => [] }))).toBeInstanceOf(SharedQueue);
});
