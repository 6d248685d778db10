import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SharedQueue } from '../../src/scheduler/shared-queue.js';
import type { EventKey } from '../../src/store/event-store.js';
import type { Leased, Line, LineCount, LineOptions, StoreWithLines } from '../../src/store/line.js';
import { MemoryStore } from '../../src/store/memory/memory-store.js';
import { FakeClock, settled } from '../support/fake-clock.js';

const URL_A = 'https://a.example/';

/** A partition of an engine, which several processes take from. */
class Partition {
  readonly waiting: string[] = [];
  readonly leased = new Set<string>();
  isGone = false;
  /** If this is set, counts wait until the test calls these functions. */
  counting: (() => void)[] | undefined;

  lineAt(place: number, options: LineOptions): Line {
    return {
      take: async (most) => {
        if (this.isGone) throw new Error('gone');
        const ids = this.waiting.splice(0, most());
        for (const id of ids) this.leased.add(id);
        return ids.map(
          (id): Leased => ({ item: { id, at: 1_000, partition: place }, stage: 'first', isHeld: () => true }),
        );
      },
      accept: ({ id }) => (this.leased.has(id) ? () => true : undefined),
      settle: ({ id }) => void this.leased.delete(id),
      putBack: async (keys: readonly EventKey[]) => {
        for (const { id } of keys) if (this.leased.delete(id)) this.waiting.push(id);
        options.onDue(place);
      },
      count: async (): Promise<LineCount> => {
        const { counting } = this;
        if (counting !== undefined) await new Promise<void>((resolve) => counting.push(resolve));
        if (this.isGone) throw new Error('gone');
        const first = this.waiting.length + this.leased.size;
        return { first, retry: 0, bytes: 2 * first, oldestDue: this.waiting.length === 0 ? undefined : 1_000 + place };
      },
      hasTurn: async () => place === 0,
      close: () => {},
    };
  }

  /** Stores a delivery, and takes it for this process if there is room. */
  add(id: string, place: number, options: LineOptions): void {
    if (this.waiting.length === 0 && options.reserve(place, 1) === 1) this.leased.add(id);
    else this.waiting.push(id);
  }
}

function open({ size = 10, ahead = 0, partitions = 2 } = {}) {
  const clock = new FakeClock();
  const state = { size };
  const parts = Array.from({ length: partitions }, () => new Partition());
  const begun: Leased[] = [];
  const errors: unknown[] = [];
  let counted = 0;
  let given: LineOptions | undefined;
  const lines = (options: LineOptions): [Line, ...Line[]] => {
    given = options;
    return parts.map((part, place) => part.lineAt(place, options)) as [Line, ...Line[]];
  };
  const pump = (): void => {
    while (begun.length < state.size) {
      const taken = queue.take();
      if (taken === undefined) break;
      begun.push(taken as Leased);
    }
    queue.fill();
  };
  const queue: SharedQueue = new SharedQueue({
    store: Object.assign(new MemoryStore(), { lines, watch: () => () => {} }) as StoreWithLines,
    url: URL_A,
    windowMs: 60_000,
    clock,
    backlog: 0,
    room: () => state.size - begun.length,
    ahead: () => ahead,
    onNews: pump,
    onCounted: () => counted++,
    onError: (error) => errors.push(error),
  });
  const options = given as LineOptions;
  const add = (id: string, partition: number): void => {
    parts[partition]?.add(id, partition, options);
    queue.accept({ id, at: 1_000, partition }, false);
  };
  const due = async (): Promise<void> => {
    for (const place of parts.keys()) options.onDue(place);
    await settled();
  };
  return { clock, state, parts, begun, errors, queue, options, add, due, pump, counted: () => counted };
}

const idsOf = (taken: readonly Leased[]): string[] => taken.map(({ item }) => item.id);

test('a queue takes from all partitions by turns, and no more than there is room for', async () => {
  const { parts, begun, due, state, pump } = open({ size: 2 });
  parts[0]?.waiting.push('a1', 'a2', 'a3');
  parts[1]?.waiting.push('b1', 'b2', 'b3');
  await due();
  expect(begun).toHaveLength(2);
  for (state.size = 3; state.size <= 6; state.size++) {
    pump();
    await settled();
  }
  expect(idsOf(begun).toSorted()).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'b3']);
  expect(new Set(begun.slice(0, 4).map(({ item }) => item.partition)).size).toBe(2);
});

test('a queue adds up the counts of its partitions, and one process at a time has the turn', async () => {
  const { parts, queue } = open();
  parts[0]?.waiting.push('a1');
  parts[1]?.waiting.push('b1', 'b2');
  expect(await queue.count()).toEqual({ first: 3, retry: 0, bytes: 6, oldestDue: 1_000 });
  expect(await queue.hasTurn()).toBe(true);
});

test('a queue counts again when the store says so, and soon after the last delivery seems to be gone', async () => {
  const { clock, parts, queue, options, add, begun, counted } = open();
  add('a1', 0);
  expect(queue.waiting).toBe(1);
  parts[1]?.waiting.push('b1', 'b2');
  options.onCount(true);
  await settled();
  expect([queue.waiting, queue.oldestDue]).toEqual([3, 1_001]);
  for (const part of parts) part.waiting.splice(0);
  queue.take();
  for (const taken of begun) queue.settle(taken);
  for (const part of parts) part.leased.clear();
  for (let ended = 0; ended < 3; ended++) queue.forget();
  expect(queue.waiting).toBe(1);
  await clock.pass(100);
  expect([queue.waiting, queue.oldestDue, counted()]).toEqual([0, undefined, 2]);
});

test('a partition that fails does not hold up the others, and tells since when something is due', async () => {
  const { clock, parts, begun, errors, queue, due, options } = open();
  const failedAt = clock.now();
  if (parts[0] !== undefined) parts[0].isGone = true;
  parts[0]?.waiting.push('a1');
  parts[1]?.waiting.push('b1');
  await due();
  options.onCount(true);
  await settled();
  expect([idsOf(begun), errors.length, queue.oldestDue]).toEqual([['b1'], 2, failedAt]);
  if (parts[0] !== undefined) parts[0].isGone = false;
  await clock.pass(5_000);
  expect([idsOf(begun), queue.oldestDue]).toEqual([['b1', 'a1'], undefined]);
});

test('whatever arrives, starts, ends, is withdrawn or put back, each delivery is attempted until it ends, and none twice at once', async () => {
  const step = fc.record({
    do: fc.constantFrom('add', 'store', 'end', 'put back', 'withdraw', 'room', 'pass'),
    amount: fc.nat(9),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), fc.nat(6), async (steps, ahead) => {
      const run = open({ size: 2, ahead, partitions: 3 });
      const { clock, state, parts, begun, queue, options, add, due, pump } = run;
      const held = new Map<string, number>();
      let number = 0;
      const forgetBegun = (at: number): Leased | undefined => {
        const [taken] = begun.splice(at % Math.max(1, begun.length), 1);
        return taken;
      };
      const acts: Record<string, (amount: number) => unknown> = {
        add: (amount) => {
          const id = `m${number++}`;
          held.set(id, amount % 3);
          add(id, amount % 3);
          pump();
        },
        // Another process has no room for it.
        store: (amount) => {
          const id = `m${number++}`;
          held.set(id, amount % 3);
          parts[amount % 3]?.waiting.push(id);
          options.onDue(amount % 3);
        },
        end: (amount) => {
          const taken = forgetBegun(amount);
          if (taken === undefined) return;
          held.delete(taken.item.id);
          queue.settle(taken);
          queue.forget();
          pump();
        },
        'put back': (amount) => {
          const taken = forgetBegun(amount);
          if (taken !== undefined) queue.putBack(taken);
        },
        withdraw: (amount) => {
          const [id, partition] = [...held][amount] ?? [];
          if (id === undefined || idsOf(begun).includes(id)) return;
          held.delete(id);
          for (const part of parts) if (part.waiting.includes(id)) part.waiting.splice(part.waiting.indexOf(id), 1);
          queue.forget({ id, at: 1_000, partition });
        },
        room: (amount) => {
          state.size = amount;
          pump();
        },
        pass: (amount) => clock.pass(amount * 100),
      };
      for (const { do: act, amount } of steps) {
        await acts[act]?.(amount);
        await settled();
        expect(new Set(idsOf(begun)).size).toBe(begun.length);
        expect(idsOf(begun).filter((id) => !held.has(id))).toEqual([]);
      }
      state.size = 1_000;
      await clock.pass(10_000);
      await due();
      await due();
      expect(idsOf(begun).toSorted()).toEqual([...held.keys()].toSorted());
    }),
    { numRuns: 300 },
  );
});

test('a queue counts again if it holds something, although the store says that nothing waits', async () => {
  const { queue, options, add, parts } = open();
  add('a1', 0);
  for (const part of parts) part.leased.clear();
  options.onCount(false);
  await settled();
  expect(queue.waiting).toBe(0);
  options.onCount(false);
  await settled();
  expect(queue.waiting).toBe(0);
});

test('a queue counts again each time its last delivery seems to be gone', async () => {
  const { clock, queue, add, parts, counted } = open();
  for (let times = 1; times <= 3; times++) {
    add(`a${times}`, 0);
    for (const part of parts) part.leased.clear();
    queue.forget();
    await clock.pass(100);
    expect(counted()).toBe(times);
  }
});

test('a queue never runs two counts at once, and counts again soon after the one that was running', async () => {
  const counting: (() => void)[] = [];
  const { clock, parts, options, counted } = open({ partitions: 1 });
  for (const part of parts) part.counting = counting;
  options.onCount(true);
  options.onCount(true);
  await settled();
  expect(counting).toHaveLength(1);
  counting.shift()?.();
  await settled();
  await clock.pass(100);
  expect(counting).toHaveLength(1);
  counting.shift()?.();
  await settled();
  expect(counted()).toBe(2);
});

test('a queue that has stopped neither counts nor leaves a timer behind', async () => {
  const { clock, queue, add, counted } = open();
  add('a1', 0);
  queue.forget();
  queue.stop();
  expect(clock.due).toEqual([]);
  await clock.pass(1_000);
  expect(counted()).toBe(0);
});

test('a queue that has stopped does not count because its last delivery seems to be gone', async () => {
  const { clock, queue, add, counted } = open();
  add('a1', 0);
  queue.stop();
  queue.forget();
  await clock.pass(1_000);
  expect(counted()).toBe(0);
});

test('deliveries that arrive while the store counts are added to its count', async () => {
  const counting: (() => void)[] = [];
  const { parts, queue, options } = open({ partitions: 1, size: 0 });
  for (const part of parts) {
    part.counting = counting;
    part.waiting.push('old');
  }
  queue.accept({ id: 'before', at: 900 }, true);
  options.onCount(true);
  queue.accept({ id: 'meanwhile', at: 800 }, true);
  expect([queue.waiting, queue.oldestDue]).toEqual([2, 800]);
  counting.shift()?.();
  await settled();
  expect([queue.waiting, queue.oldestDue]).toEqual([2, 1_000]);
});

test('the last delivery counts as ended only after the store has confirmed it', async () => {
  const { clock, queue } = open({ partitions: 1 });
  for (const id of ['a', 'b']) queue.accept({ id, at: 900 }, true);
  for (let times = 0; times < 3; times++) queue.forget();
  expect(queue.waiting).toBe(1);
  await clock.pass(100);
  expect([queue.waiting, queue.oldestDue]).toEqual([0, undefined]);
});
