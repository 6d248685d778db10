import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newEvent } from '../../../src/delivery/completion-rule.js';
import type { Claimed, ClaimRequest } from '../../../src/store/redis/claims.js';
import { LinePart } from '../../../src/store/redis/line-part.js';
import type { StorePart } from '../../../src/store/redis/store-part.js';
import { StoreRecordError } from '../../../src/store/store-errors.js';
import { FakeClock, settled } from '../../support/fake-clock.js';

const URL_A = 'https://a.example/';
const REST_MS = 5_000;

/**
 * Opens a part of a line with this many waiting deliveries, room for `size` concurrent requests, and room for `ahead` more that
 * are claimed early.
 */
function open(waiting: number, size: number, ahead = 0) {
  const clock = new FakeClock();
  const state = {
    waiting,
    size,
    isGone: false,
    isRetry: false,
    lost: new Set<string>(),
    gone: new Set<string>(),
    unreadable: new Set<string>(),
  };
  const asked: number[] = [];
  const asking: number[] = [];
  const begun: string[] = [];
  const returned: string[][] = [];
  const dropped: string[] = [];
  const errors: unknown[] = [];
  let claimed = 0;
  const ask = async ({ count }: ClaimRequest): Promise<readonly Claimed[]> => {
    await Promise.resolve();
    const most = count();
    asked.push(most);
    asking.push(part.held);
    // A part that does not pause would ask forever, and no timeout could fire.
    if (asked.length > 20) return new Promise(() => {});
    if (state.isGone) throw new Error('gone');
    const taken = Math.min(most, state.waiting);
    state.waiting -= taken;
    return Array.from({ length: taken }, () => ({
      id: `m${claimed++}`,
      place: '1000',
      text: undefined,
      record: undefined,
      until: '-2000',
    }));
  };
  const leases = {
    reserved: 0,
    room: () => 0,
    hold: () => {},
    takeOver: () => true,
    holds: (id: string) => !state.lost.has(id),
    drop: async (id: string) => void dropped.push(id),
  };
  const retrying = { phase: 'retrying', due: 1, firstAttemptAt: clock.now(), attempts: 1, history: [] } as const;
  const eventOf = (id: string) => {
    const event = newEvent(id, 'track', [URL_A], 1_000);
    return state.isRetry ? { ...event, urls: { [URL_A]: retrying } } : event;
  };
  const store = {
    connection: { claims: { ask } },
    leases: () => leases,
    noteClaimed: (_: string, { id }: Claimed) => {
      if (state.unreadable.has(id)) throw new StoreRecordError(id, 'its text');
      return state.gone.has(id) ? undefined : { event: eventOf(id), body: Buffer.from(id) };
    },
  };
  const pump = (): void => {
    for (const stage of ['first', 'retry'] as const) {
      while (begun.length < state.size) {
        const item = part.take(stage);
        if (item === undefined) break;
        begun.push(item.id);
      }
    }
    part.fill();
  };
  const part: LinePart = new LinePart({
    url: URL_A,
    windowMs: 60_000,
    clock,
    store: store as unknown as StorePart,
    restMs: REST_MS,
    ahead: () => ahead,
    spare: (more) => state.size - begun.length + more - part.held,
    putBack: (ids) => returned.push([...ids]),
    begin: (work) => void work,
    onNews: pump,
    onError: (error) => errors.push(error),
  });
  const look = async (): Promise<void> => {
    part.look();
    pump();
    await settled();
  };
  return { clock, state, asked, asking, begun, returned, dropped, errors, part, leases, look, pump };
}

test('deliveries are claimed as long as there are more and there is room', async () => {
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

test('deliveries claimed at intake start after earlier ones, and before retries', async () => {
  const { state, begun, part, leases, look, pump } = open(2, 1, 4);
  part.start();
  part.look();
  expect(leases.room()).toBe(0);
  state.isRetry = true;
  await look();
  expect([leases.room(), begun]).toEqual([3, ['m0']]);
  expect(part.accept({ id: 'new', at: 1_000 })).toBe(true);
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
  const { state, begun, part, look, pump } = open(2, 1, 4);
  await look();
  state.lost.add('m1');
  state.size = 5;
  pump();
  expect([begun, part.held]).toEqual([['m0'], 0]);
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

test('claimed deliveries that have not started are put back when the part stops', async () => {
  const { returned, part, leases, look } = open(3, 1, 4);
  part.start();
  await look();
  part.stop();
  expect([returned, part.held, leases.room()]).toEqual([[['m1', 'm2']], 0, 0]);
});

test('a claimed delivery whose event is gone is dropped', async () => {
  const { state, begun, dropped, look } = open(2, 3);
  state.gone.add('m0');
  await look();
  expect([begun, dropped]).toEqual([['m1'], ['m0']]);
});

test('each unreadable record is reported and kept, all other deliveries start, and the reserved room stays correct', async () => {
  const arrangement = fc.record({
    isReadable: fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }),
    size: fc.integer({ min: 1, max: 4 }),
    ahead: fc.integer({ min: 0, max: 6 }),
  });
  await fc.assert(
    fc.asyncProperty(arrangement, async ({ isReadable, size, ahead }) => {
      const { state, begun, dropped, errors, part, look, pump } = open(isReadable.length, size, ahead);
      const ids = isReadable.map((_, index) => `m${index}`);
      state.unreadable = new Set(ids.filter((_, index) => !isReadable[index]));
      await look();
      while (state.waiting > 0 || part.held > 0) {
        state.size++;
        pump();
        await settled();
      }
      expect(begun).toEqual(ids.filter((id) => !state.unreadable.has(id)));
      expect(errors.map((error) => (error as StoreRecordError).eventId)).toEqual([...state.unreadable]);
      expect(dropped).toEqual([]);
      expect(part.held).toBe(0);
    }),
    { numRuns: 100 },
  );
});
