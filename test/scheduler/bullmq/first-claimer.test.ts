import { expect, test } from 'vitest';
import { Activity } from '../../../src/scheduler/activity.js';
import { FirstClaimer } from '../../../src/scheduler/bullmq/first-claimer.js';
import type { Claimed } from '../../../src/store/redis/claims.js';
import type { FirstAttempts } from '../../../src/store/redis/first-attempts.js';
import { INTERVALS } from '../../../src/store/redis/intervals.js';
import { FakeClock, settled } from '../../support/fake-clock.js';

/** A claimer of so many first attempts, with room for so many requests at once. */
function open(waiting: number, size: number) {
  const clock = new FakeClock();
  const state = { waiting, size, canRecord: true, isGone: false };
  const asked: number[] = [];
  const begun: string[] = [];
  const errors: unknown[] = [];
  const activity = new Activity();
  const claim = async (count: () => number): Promise<readonly Claimed[]> => {
    await Promise.resolve();
    const most = count();
    asked.push(most);
    // A claimer that does not rest would ask without end, and no timeout would be heard.
    if (asked.length > 20) return new Promise(() => {});
    if (state.isGone) throw new Error('gone');
    const taken = Math.min(most, state.waiting);
    state.waiting -= taken;
    return Array.from({ length: taken }, () => ({
      id: `m${begun.length}`,
      at: 1_000,
      text: undefined,
      record: undefined,
      until: '2000',
    }));
  };
  const asking: number[] = [];
  const claimer = new FirstClaimer({
    firsts: { claim } as unknown as FirstAttempts,
    intervals: INTERVALS,
    clock,
    activity,
    canRecord: () => state.canRecord,
    room: () => state.size - begun.length,
    begin: ({ id }) => begun.push(id),
    onAsking: (change) => asking.push(change),
    onClaimed: () => claimer.pump(),
    onError: (error) => errors.push(error),
  });
  return { clock, state, asked, asking, begun, errors, activity, claimer };
}

test('first attempts on Redis are claimed as long as there are more and there is room', async () => {
  const { state, asked, begun, claimer } = open(5, 3);
  claimer.look();
  await settled();
  expect([asked, begun.length]).toEqual([[3], 3]);
  expect(claimer.isEmpty).toBe(false);
  state.size = 10;
  claimer.pump();
  await settled();
  expect([asked, begun.length]).toEqual([[3, 7], 5]);
  expect(claimer.isEmpty).toBe(true);
});

test('first attempts on Redis are not looked for until there may be something new', async () => {
  const { state, asked, begun, claimer } = open(0, 3);
  claimer.look();
  await settled();
  state.waiting = 1;
  claimer.pump();
  await settled();
  expect(asked).toEqual([3]);
  claimer.look();
  await settled();
  expect(begun).toHaveLength(1);
});

test('first attempts that come to Redis while others are claimed are claimed after those', async () => {
  const { state, asked, begun, claimer } = open(1, 3);
  claimer.look();
  expect(claimer.isEmpty).toBe(false);
  claimer.look();
  await settled();
  expect(asked).toEqual([3, 2]);
  state.waiting = 1;
  claimer.pump();
  await settled();
  expect(begun).toHaveLength(1);
  expect(claimer.isEmpty).toBe(true);
});

test('first attempts that Redis could not be asked for are asked for again after a rest, and not before', async () => {
  const { clock, state, asked, begun, errors, activity, claimer } = open(1, 3);
  state.isGone = true;
  claimer.look();
  await settled();
  expect(errors).toHaveLength(1);
  await activity.quiet();
  state.isGone = false;
  claimer.look();
  await clock.pass(INTERVALS.restMs - 1);
  expect(asked).toHaveLength(1);
  await clock.pass(1);
  expect(begun).toHaveLength(1);
});

test('no first attempt is claimed on Redis while what becomes of it cannot be put on record', async () => {
  const { clock, state, asked, begun, claimer } = open(1, 3);
  state.canRecord = false;
  claimer.look();
  await settled();
  expect(asked).toEqual([]);
  state.canRecord = true;
  await clock.pass(INTERVALS.restMs);
  expect(begun).toHaveLength(1);
});

test('a claim of first attempts is counted while it is made, whether it succeeds or fails', async () => {
  const { state, asking, claimer } = open(1, 3);
  claimer.look();
  await settled();
  expect(asking).toEqual([3, -3]);
  state.isGone = true;
  claimer.look();
  await settled();
  expect(asking).toEqual([3, -3, 2, -2]);
});

test('a claim for which there is no room any more is for no first attempt', async () => {
  const { state, asked, claimer } = open(1, 3);
  claimer.look();
  state.size = -2;
  await settled();
  expect(asked).toEqual([0]);
});
