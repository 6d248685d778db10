import { expect, test } from 'vitest';
import { ClaimedLine, REST_MS } from '../../src/scheduler/claimed-line.js';
import type { Stage } from '../../src/store/event-store.js';
import type { Leased, Line } from '../../src/store/line.js';
import { FakeClock, settled } from '../support/fake-clock.js';

/**
 * Opens a line with this many waiting deliveries, room for `size` concurrent requests, and room for `ahead` more that are taken
 * early.
 */
function open(waiting: number, size: number, ahead = 0) {
  const clock = new FakeClock();
  const state = {
    waiting,
    size,
    isGone: false,
    stage: 'first' as Stage,
    until: Number.POSITIVE_INFINITY,
    isClosed: false,
  };
  const asked: number[] = [];
  const asking: number[] = [];
  const begun: string[] = [];
  const returned: string[][] = [];
  const settledIds: string[] = [];
  const errors: unknown[] = [];
  let number = 0;
  const isHeld = (): boolean => clock.now() < state.until;
  const line: Line = {
    take: async (room) => {
      await Promise.resolve();
      const most = room();
      asked.push(most);
      asking.push(part.held);
      // A line that does not pause would ask forever, and no timeout could fire.
      if (asked.length > 20) return new Promise(() => {});
      if (state.isGone) throw new Error('gone');
      const taken = Math.min(most, state.waiting);
      state.waiting -= taken;
      const { stage } = state;
      return Array.from({ length: taken }, (): Leased => ({ item: { id: `m${number++}`, at: 1_000 }, stage, isHeld }));
    },
    accept: ({ id }) => (id === 'not taken' ? undefined : isHeld),
    settle: ({ id }) => void settledIds.push(id),
    putBack: async (keys) => void returned.push(keys.map(({ id }) => id)),
    count: async () => ({ first: 0, retry: 0, bytes: 0, oldestDue: undefined }),
    hasTurn: async () => true,
    close: () => {
      state.isClosed = true;
    },
  };
  const pump = (): void => {
    for (const stage of ['first', 'retry'] as const) {
      while (begun.length < state.size) {
        const taken = part.take(stage);
        if (taken === undefined) break;
        begun.push(taken.item.id);
      }
    }
    part.fill();
  };
  const part: ClaimedLine = new ClaimedLine({
    line,
    clock,
    ahead: () => ahead,
    spare: (more) => state.size - begun.length + more - part.held,
    begin: (work) => void work,
    onNews: pump,
    onError: (error) => errors.push(error),
  });
  const look = async (): Promise<void> => {
    part.look();
    pump();
    await settled();
  };
  return { clock, state, asked, asking, begun, returned, settledIds, errors, part, look, pump };
}

test('deliveries are claimed while more of them wait and there is room', async () => {
  const { state, asked, begun, look, pump } = open(5, 3);
  await look();
  expect([asked, begun.length]).toEqual([[3], 3]);
  state.size = 10;
  pump();
  await settled();
  expect([asked, begun.length]).toEqual([[3, 7], 5]);
});

test('nothing is claimed until there may be new deliveries', async () => {
  const { state, asked, begun, look, pump } = open(0, 3);
  await look();
  state.waiting = 1;
  pump();
  await settled();
  expect(asked).toEqual([3]);
  await look();
  expect(begun).toHaveLength(1);
});

test('deliveries that arrive during a claim are claimed after it', async () => {
  const { state, asked, begun, part, look, pump } = open(1, 3);
  part.look();
  pump();
  await look();
  expect(asked).toEqual([3, 2]);
  state.waiting = 1;
  pump();
  await settled();
  expect(begun).toHaveLength(1);
});

test('a claim that Redis did not answer is repeated after a pause, and not before', async () => {
  const { clock, state, asked, begun, errors, look } = open(1, 3);
  state.isGone = true;
  await look();
  expect(errors).toHaveLength(1);
  state.isGone = false;
  await look();
  await clock.pass(REST_MS - 1);
  expect(asked).toHaveLength(1);
  await clock.pass(1);
  await settled();
  expect(begun).toHaveLength(1);
});

test('a part reports since when all its claims have failed, until one succeeds', async () => {
  const { clock, part, state } = open(1, 1);
  state.isGone = true;
  const failedAt = clock.now();
  part.look();
  part.fill();
  await settled();
  await clock.pass(3 * REST_MS);
  part.fill();
  await settled();
  expect(part.failingSince).toBe(failedAt);
  state.isGone = false;
  await clock.pass(REST_MS);
  part.fill();
  await settled();
  expect(part.failingSince).toBeUndefined();
});

test('deliveries are claimed ahead, many at once, and start in order when there is room', async () => {
  const { state, asked, begun, part, look, pump } = open(20, 2, 4);
  await look();
  expect([asked, begun, part.held]).toEqual([[6], ['m0', 'm1'], 4]);
  state.size++;
  pump();
  await settled();
  expect([asked, part.held]).toEqual([[6], 3]);
  state.size++;
  pump();
  await settled();
  expect([asked, begun, part.held]).toEqual([[6, 2], ['m0', 'm1', 'm2', 'm3'], 4]);
});

test('deliveries taken while they are stored start after earlier ones, and before retries', async () => {
  const { state, begun, part, look, pump } = open(2, 1, 4);
  part.look();
  expect(part.reserve(9)).toBe(0);
  state.stage = 'retry';
  await look();
  expect([part.reserve(9), begun]).toEqual([3, ['m0']]);
  part.free(2);
  part.accept({ id: 'new', at: 1_000 }, true);
  expect(part.held).toBe(2);
  state.size = 3;
  pump();
  expect(begun).toEqual(['m0', 'new', 'm1']);
});

test('deliveries claimed ahead that do not start in time are returned, and for a while no more are claimed ahead', async () => {
  const { clock, state, asked, begun, returned, part, look, pump } = open(20, 2, 4);
  await look();
  await clock.pass(250);
  expect(returned).toEqual([['m2', 'm3', 'm4', 'm5']]);
  state.size++;
  pump();
  await settled();
  expect([asked, begun, part.held]).toEqual([[6, 1], ['m0', 'm1', 'm6'], 0]);
  await clock.pass(REST_MS);
  pump();
  await settled();
  expect(asked).toEqual([6, 1, 4]);
});

test('a delivery claimed ahead does not start once its lease has ended', async () => {
  const { clock, state, begun, settledIds, part, look, pump } = open(2, 1, 4);
  state.until = clock.now() + 100;
  await look();
  await clock.pass(100);
  state.size = 5;
  pump();
  expect([begun, settledIds, part.held]).toEqual([['m0'], ['m1'], 0]);
});

test('a claim counts as held while it runs, whether it succeeds or fails', async () => {
  const { state, asking, part, look } = open(1, 3);
  await look();
  expect([asking, part.held]).toEqual([[3], 0]);
  state.isGone = true;
  await look();
  expect([asking, part.held]).toEqual([[3, 2], 0]);
});

test('a claim asks for nothing if there is no room left when it is sent', async () => {
  const { state, asked, part, pump } = open(1, 3);
  part.look();
  pump();
  state.size = -2;
  await settled();
  expect(asked).toEqual([0]);
});

test('claimed deliveries that have not started are put back when the line stops', async () => {
  const { state, returned, part, look } = open(3, 1, 4);
  await look();
  part.stop();
  expect([returned, part.held, part.reserve(9), state.isClosed]).toEqual([[['m1', 'm2']], 0, 0, true]);
});

test('deliveries that arrive after the line has stopped are put back immediately', async () => {
  const { begun, returned, part, pump } = open(2, 1, 4);
  part.look();
  pump();
  part.stop();
  await settled();
  expect([begun, returned]).toEqual([[], [['m0', 'm1']]]);
});

test('the line looks for a delivery that is not taken yet, and gives up the lease of a withdrawn one', async () => {
  const { asked, begun, settledIds, part, look, pump } = open(2, 1, 4);
  await look();
  part.accept({ id: 'not taken', at: 1_000 }, false);
  expect([part.withdraw({ id: 'm1' }), part.withdraw({ id: 'm1' })]).toEqual([true, false]);
  pump();
  await settled();
  expect([asked, begun, settledIds]).toEqual([[5, 4], ['m0'], ['m1']]);
});

test('no room is reserved for new deliveries while earlier ones are being claimed', async () => {
  const { part, pump } = open(1, 3);
  part.look();
  pump();
  expect(part.reserve(2)).toBe(0);
  await settled();
  expect(part.reserve(2)).toBe(2);
});

test('a delivery that was taken while it was stored is returned if it does not start in time', async () => {
  const { clock, state, returned, part, look } = open(0, 1);
  await look();
  expect(part.reserve(1)).toBe(1);
  state.size = 0;
  part.accept({ id: 'new', at: 1_000 }, true);
  await clock.pass(250);
  expect([returned, part.held]).toEqual([[['new']], 0]);
});

test('a retry that was claimed ahead is returned if it does not start in time', async () => {
  const { clock, state, returned, look } = open(2, 1, 4);
  state.stage = 'retry';
  await look();
  await clock.pass(250);
  expect(returned).toEqual([['m1']]);
});

test('deliveries claimed ahead are kept as long as the one before them starts in time', async () => {
  const { clock, state, begun, returned, look, pump } = open(4, 1, 3);
  await look();
  await clock.pass(200);
  state.size++;
  pump();
  await clock.pass(200);
  expect([begun, returned]).toEqual([['m0', 'm1'], []]);
  await clock.pass(100);
  expect(returned).toEqual([['m2', 'm3']]);
});

test('deliveries that were returned because they did not start in time are claimed again when there is room', async () => {
  const { clock, state, asked, begun, look, pump } = open(3, 1, 4);
  await look();
  await clock.pass(250);
  state.waiting = 2;
  state.size++;
  pump();
  await settled();
  expect([asked, begun]).toEqual([
    [5, 1],
    ['m0', 'm3'],
  ]);
});

test('a line that has stopped leaves no timer behind', async () => {
  const { clock, part, look } = open(3, 1, 4);
  await look();
  part.stop();
  expect(clock.due).toEqual([]);
});
