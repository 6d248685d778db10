import { expect, test } from 'vitest';
import { Activity } from '../../../src/scheduler/activity.js';
import { FirstClaimers } from '../../../src/scheduler/bullmq/first-claimers.js';
import { INTERVALS } from '../../../src/store/redis/intervals.js';
import type { SharedStore, StorePart } from '../../../src/store/redis/shared-store.js';
import { FakeClock, settled } from '../../support/fake-clock.js';

/** An endpoint with so much room, and partitions with so many first attempts each. */
function open(room: number, waiting: readonly number[]) {
  const asked: [part: number, count: number][] = [];
  const begun: string[] = [];
  const listeners = new Map<string, () => void>();
  const parts = waiting.map((count, place) => {
    let left = count;
    const claim = async (most: () => number) => {
      const wanted = most();
      asked.push([place, wanted]);
      const taken = Math.min(wanted, left);
      left -= taken;
      return Array.from({ length: taken }, (_, index) => ({ id: `${place}-${left + index}` }));
    };
    const firsts = { claim, reserved: 0, room: () => 0, holds: () => true };
    return { firstAttempts: () => firsts, keys: { waiting: () => `topic ${place}` } } as unknown as StorePart;
  });
  const store = { parts, partOf: (id: string) => parts[Number(id.split('-')[0])] } as unknown as SharedStore;
  const claimers = new FirstClaimers({
    url: 'https://a.example/',
    store,
    notices: {
      on: (topic: string, listener: () => void) => {
        listeners.set(topic, listener);
        return () => listeners.delete(topic);
      },
    } as never,
    intervals: INTERVALS,
    clock: new FakeClock(),
    activity: new Activity(),
    mayBegin: () => true,
    ahead: () => 0,
    read: ({ id }) => ({ id, at: 1_000 }),
    room: () => room - begun.length,
    begin: ({ id }) => begun.push(id),
    onClaimed: () => undefined,
    onError: (error) => {
      throw error;
    },
  });
  return { claimers, asked, begun, listeners };
}

test('the partitions of a store are never asked for more first attempts together than there is room for', async () => {
  const { claimers, asked, begun } = open(4, [2, 9, 9]);
  claimers.look();
  await settled();
  expect(asked).toEqual([[0, 4]]);
  claimers.pump();
  await settled();
  expect(asked.slice(1)).toEqual([[1, 2]]);
  expect(begun).toHaveLength(4);
});

test('each partition of a store is the first to be asked in its turn', async () => {
  const { claimers, asked } = open(1_000, [1, 1, 1]);
  for (let turn = 0; turn < 3; turn++) {
    claimers.look();
    await settled();
  }
  expect(asked.map(([place]) => place)).toEqual([0, 1, 2]);
});

test('a notice of one partition leads to a question to that partition alone', async () => {
  const { claimers, asked, listeners } = open(10, [0, 3, 0]);
  claimers.open();
  listeners.get('topic 1')?.();
  await settled();
  expect(asked).toEqual([[1, 10]]);
  claimers.close();
  expect(listeners.size).toBe(0);
});
