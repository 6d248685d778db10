import { expect, test } from 'vitest';
import { Activity } from '../../../src/scheduler/activity.js';
import { FirstClaimer } from '../../../src/scheduler/bullmq/first-claimer.js';
import type { Claimed } from '../../../src/store/redis/claims.js';
import type { FirstAttempts } from '../../../src/store/redis/first-attempts.js';
import { INTERVALS } from '../../../src/store/redis/intervals.js';
import { FakeClock, settled } from '../../support/fake-clock.js';

/** A claimer of so many first attempts, with room for so many requests at once, and for so many more that are claimed before. */
function open(waiting: number, size: number, ahead = 0) {
  const clock = new FakeClock();
  const state = { waiting, size, canRecord: true, isGone: false, lost: new Set<string>() };
  const asked: number[] = [];
  const asking: number[] = [];
  const begun: string[] = [];
  const returned: string[][] = [];
  const errors: unknown[] = [];
  const activity = new Activity();
  let claimed = 0;
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
      id: `m${claimed++}`,
      at: 1_000,
      text: undefined,
      record: undefined,
      until: '2000',
    }));
  };
  const firsts = {
    claim,
    reserved: 0,
    room: () => 0,
    takeOver: () => true,
    holds: (id: string) => !state.lost.has(id),
  };
  const claimer: FirstClaimer = new FirstClaimer({
    firsts: firsts as unknown as FirstAttempts,
    intervals: INTERVALS,
    clock,
    activity,
    mayBegin: () => state.canRecord,
    room: () => state.size - begun.length,
    ahead: () => ahead,
    read: ({ id, at }) => ({ id, at }),
    begin: ({ id }) => begun.push(id),
    spare: (more) => state.size - begun.length + more - claimer.ready,
    onAsking: (change) => asking.push(change),
    putBack: (ids) => returned.push([...ids]),
    onClaimed: () => claimer.pump(),
    onError: (error) => errors.push(error),
  });
  return { clock, state, asked, asking, begun, returned, errors, activity, claimer, firsts };
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

test('first attempts on Redis are claimed ahead, many at once, and begin in their order as there is room', async () => {
  const { state, asked, begun, claimer } = open(20, 2, 4);
  claimer.look();
  await settled();
  expect([asked, begun, claimer.ready]).toEqual([[6], ['m0', 'm1'], 4]);
  state.size++;
  claimer.pump();
  await settled();
  expect([asked, claimer.ready]).toEqual([[6], 3]);
  state.size++;
  claimer.pump();
  await settled();
  expect([asked, begun, claimer.ready]).toEqual([[6, 2], ['m0', 'm1', 'm2', 'm3'], 4]);
});

test('a first attempt that was claimed as it was taken in begins after those before it', async () => {
  const { state, begun, claimer, firsts } = open(2, 1, 4);
  claimer.start();
  expect(firsts.room()).toBe(0);
  claimer.look();
  await settled();
  expect(firsts.room()).toBe(3);
  claimer.accept({ id: 'new', at: 1_000 });
  expect(begun).toEqual(['m0']);
  state.size = 3;
  claimer.pump();
  expect(begun).toEqual(['m0', 'm1', 'new']);
});

test('what was claimed ahead and has not begun in time goes to other processes, and no more is for a while', async () => {
  const { clock, state, asked, begun, returned, claimer } = open(20, 2, 4);
  claimer.look();
  await settled();
  await clock.pass(250);
  expect(returned).toEqual([['m2', 'm3', 'm4', 'm5']]);
  state.size++;
  claimer.pump();
  await settled();
  expect([asked, begun, claimer.ready]).toEqual([[6, 1], ['m0', 'm1', 'm6'], 0]);
  await clock.pass(INTERVALS.restMs);
  claimer.pump();
  await settled();
  expect(asked).toEqual([6, 1, 4]);
});

test('a first attempt that was claimed ahead does not begin once its lease is over', async () => {
  const { state, begun, claimer } = open(2, 1, 4);
  claimer.look();
  await settled();
  state.lost.add('m1');
  state.size = 5;
  claimer.pump();
  expect([begun, claimer.ready]).toEqual([['m0'], 0]);
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

test('a first attempt that was claimed as it was taken in goes back where none may begin any more', async () => {
  const { state, begun, returned, claimer } = open(0, 3, 4);
  state.canRecord = false;
  expect(claimer.accept({ id: 'new', at: 1_000 })).toBe(true);
  expect([begun, returned, claimer.ready]).toEqual([[], [['new']], 0]);
});

test('more first attempts than belong into one turn of the event loop begin in the next ones', async () => {
  const { begun, claimer } = open(0, 300, 300);
  for (let number = 0; number < 200; number++) claimer.accept({ id: `n${number}`, at: 1_000 });
  expect(begun).toHaveLength(128);
  await new Promise(setImmediate);
  expect(begun).toHaveLength(200);
  expect([claimer.ready, begun.at(-1)]).toEqual([0, 'n199']);
});
