import { expect, test } from 'vitest';
import type { EndpointAnswer } from '../../src/delivery/attempt-outcome.js';
import { newEvent, type StoredEvent } from '../../src/delivery/completion-rule.js';
import { type Bounds, UNBOUNDED } from '../../src/scheduler/backlog-bounds.js';
import type { Queue } from '../../src/scheduler/queue.js';
import { Sweeper } from '../../src/scheduler/sweeper.js';
import type { QueueKey, QueuePosition } from '../../src/store/event-store.js';
import { MemoryStore } from '../../src/store/memory/memory-store.js';
import { body, simulate, URL_A } from '../destination/simulation.js';
import { FakeClock, settled } from '../support/fake-clock.js';

const busy: EndpointAnswer = { status: 503 };

test('if more deliveries wait than allowed, the oldest are given up and the newest are sent', async () => {
  const run = await simulate({ concurrency: 2, limit: { events: 1_000 }, send: () => new Promise(() => {}) });
  const idOf = (count: number): string => `m${String(count).padStart(4, '0')}`;
  for (let count = 0; count < 3_000; count++) await run.accept(idOf(count));
  await settled();
  expect(run.endpoint.waiting).toBe(1_000);
  expect(run.ended).toHaveLength(2_000);
  expect(run.ended.every(({ as }) => as === 'dead')).toBe(true);
  expect((await run.store.event('m0002'))?.urls[URL_A]).toMatchObject({ phase: 'dead', reason: 'backlog-full' });
  const left = (await run.store.waiting(URL_A, 'first', undefined, 5_000)).map(({ id }) => id);
  // The first two are in flight.
  const newest = Array.from({ length: 998 }, (_, index) => idOf(2_002 + index));
  expect(left).toEqual(['m0000', 'm0001', ...newest]);
});

test('if more bytes wait than allowed, the oldest deliveries are given up within a second', async () => {
  const run = await simulate({ concurrency: 2, limit: { bytes: 200 }, send: () => new Promise(() => {}) });
  for (let count = 0; count < 600; count++) await run.accept(`m${String(count).padStart(3, '0')}`);
  expect(run.ended).toEqual([]);
  await run.clock.pass(1_000);
  await expect.poll(() => run.endpoint.waiting).toBe(100);
  expect((await run.store.backlog())[0]?.bytes).toBe(200);
  expect(run.ended.map(({ id }) => id).toSorted()[0]).toBe('m002');
});

test('a delivery that waits for longer than allowed is given up, tried or not', async () => {
  const answers = [busy, new Promise<never>(() => {})];
  const run = await simulate({
    concurrency: 1,
    limit: { ageMs: 30_000 },
    send: async () => answers.shift() ?? new Promise<never>(() => {}),
  });
  for (const id of ['tried', 'in flight', 'untried']) await run.accept(id);
  await settled();
  await run.clock.pass(29_000);
  expect(run.ended).toEqual([]);
  await run.clock.pass(3_000);
  expect(run.ended).toMatchObject([{ as: 'dead', id: 'untried' }]);
  const tried = await run.store.event('untried');
  expect(tried?.urls[URL_A]).toMatchObject({ phase: 'dead', reason: 'backlog-full' });
});

test('a delivery is not retried for longer than it may wait', async () => {
  const run = await simulate({ limit: { ageMs: 30_000 }, send: async () => busy });
  await run.accept('m1');
  await run.clock.pass(40_000);
  expect(run.sent).toHaveLength(3);
  expect((await run.store.event('m1'))?.urls[URL_A]).toMatchObject({ phase: 'dead', reason: 'backlog-full' });
});

test('deliveries that exceed the limits are also given up at the start', async () => {
  const store = new MemoryStore();
  for (let count = 0; count < 2_000; count++) await store.add(newEvent(`m${count}`, 'track', [URL_A], count), body);
  const run = await simulate({ store, concurrency: 2, limit: { events: 10 }, send: () => new Promise(() => {}) });
  await expect.poll(() => run.endpoint.waiting).toBe(10);
  expect(run.errors).toEqual([]);
});

test('deliveries that come while the queue is counted for the last time are given up too', async () => {
  const waiting = ['m1', 'm2'];
  const counts: (() => void)[] = [];
  const queue = {
    get waiting() {
      return waiting.length;
    },
    // The store counts at the time of the call, and answers later.
    count: () => {
      const first = waiting.length;
      return new Promise<object>((resolve) => counts.push(() => resolve({ first, retry: 0, bytes: 0 })));
    },
    hasTurn: () => true,
    withdraw: () => true,
    putBack: () => {},
  } as unknown as Queue;
  const work: Promise<void>[] = [];
  const sweeper = new Sweeper({
    url: URL_A,
    queue,
    store: {
      waiting: async (_, position, _after, limit) =>
        position === 'first' ? waiting.slice(0, limit).map((id) => ({ id, at: 0 })) : [],
      event: async (id) => newEvent(id, 'track', [URL_A], 0),
    },
    endpoint: { inFlight: 0, isInFlight: () => false },
    clock: new FakeClock(),
    windowMs: 60_000,
    limit: { ...UNBOUNDED, events: 1 },
    deliveries: { end: async ({ id }) => void waiting.splice(waiting.indexOf(id), 1) },
    onBegun: (begun) => void work.push(begun),
    onFailed: (error) => expect.unreachable(String(error)),
  });
  const answer = async (): Promise<void> => {
    await expect.poll(() => counts.length).toBe(1);
    counts.shift()?.();
  };
  sweeper.shed();
  await answer();
  await expect.poll(() => counts.length).toBe(1);
  waiting.push('m3');
  sweeper.shed();
  for (let count = 0; count < 3; count++) await answer();
  await Promise.all(work);
  expect(waiting).toEqual(['m3']);
});

test('a delivery whose end cannot be recorded is sent later', async () => {
  class Failing extends MemoryStore {
    isFailing = false;
    override async update(...given: Parameters<MemoryStore['update']>): Promise<void> {
      if (this.isFailing) throw new Error('no room');
      return super.update(...given);
    }
  }
  const store = new Failing();
  const run = await simulate({ store, limit: { events: 1 }, send: async () => ({ status: 200 }) });
  store.isFailing = true;
  run.endpoint.setPaused(true);
  for (const id of ['m1', 'm2', 'm3']) await run.accept(id);
  await expect.poll(() => run.errors.length).toBeGreaterThan(0);
  expect(run.ended).toEqual([]);
  store.isFailing = false;
  await run.accept('m4');
  await expect.poll(() => run.ended.length).toBe(3);
  run.endpoint.setPaused(false);
  await run.clock.pass(10_000);
  expect(run.ended.map(({ id, as }) => `${id} ${as}`)).toEqual(['m1 dead', 'm2 dead', 'm3 dead', 'm4 delivered']);
});

test('during a pause each retry is read once when it is due, and all are given up when their windows end', async () => {
  class Counting extends MemoryStore {
    reads = 0;
    override async event(...given: Parameters<MemoryStore['event']>) {
      this.reads++;
      return super.event(...given);
    }
  }
  const store = new Counting();
  const run = await simulate({ store, windowMs: 600_000, send: async () => busy });
  for (const [count, id] of ['m1', 'm2', 'm3'].entries()) {
    await run.clock.pass(count * 1_000);
    await run.accept(id);
  }
  await run.clock.pass(4_000);
  run.endpoint.setPaused(true);
  const started = store.reads;
  await run.clock.pass(590_000);
  expect(run.ended).toEqual([]);
  expect(store.reads - started).toBe(3);
  await run.clock.pass(30_000);
  expect(run.ended.map(({ id, as }) => `${id} ${as}`).sort()).toEqual(['m1 dead', 'm2 dead', 'm3 dead']);
  expect(run.sent.length).toBeLessThan(7);
});

/** Opens a sweeper over these deliveries, each of which waits for its first attempt unless the test says otherwise. */
function openSweeper({ limit = {}, windowMs = 60_000 }: { limit?: Partial<Bounds>; windowMs?: number } = {}) {
  const clock = new FakeClock();
  const positions: Record<QueuePosition, QueueKey[]> = { first: [], retry: [], behind: [] };
  const events = new Map<string, StoredEvent>();
  const [ended, putBack, inFlight]: [string[], string[], Set<string>] = [[], [], new Set()];
  const state = { hasTurn: true, turns: 0, isFailing: false, onRead: (_id: string): void => {} };
  const work: Promise<void>[] = [];
  const errors: unknown[] = [];
  const all = (): QueueKey[] => Object.values(positions).flat();
  const sweeper = new Sweeper({
    url: URL_A,
    clock,
    windowMs,
    limit: { ...UNBOUNDED, ...limit },
    queue: {
      get waiting() {
        return all().length;
      },
      count: async () => ({ first: positions.first.length + positions.behind.length, retry: 0, bytes: 0 }),
      hasTurn: async () => {
        state.turns++;
        return state.hasTurn;
      },
      withdraw: () => true,
      putBack: ({ item }) => void putBack.push(item.id),
    },
    store: {
      waiting: async (_, position, _after, most) => positions[position].slice(0, most),
      event: async (id) => {
        state.onRead(id);
        return events.get(id);
      },
    },
    endpoint: {
      get inFlight() {
        return inFlight.size;
      },
      isInFlight: ({ id }) => inFlight.has(id),
    },
    deliveries: {
      end: async ({ id }) => {
        if (state.isFailing) throw new Error('no room');
        ended.push(id);
        for (const keys of Object.values(positions)) {
          const at = keys.findIndex((key) => key.id === id);
          if (at >= 0) keys.splice(at, 1);
        }
      },
    },
    onBegun: (begun) => void work.push(begun),
    onFailed: (error) => errors.push(error),
  });
  const add = (id: string, at: number, position: QueuePosition = 'first'): void => {
    positions[position].push({ id, at });
    events.set(id, newEvent(id, 'track', [URL_A], at));
  };
  const shed = async (): Promise<void> => {
    sweeper.shed();
    await Promise.all(work);
  };
  return { clock, sweeper, add, shed, state, events, inFlight, ended, putBack, errors };
}

test('deliveries beyond the limit end oldest first, whether they are in line or behind others', async () => {
  const { add, shed, ended } = openSweeper({ limit: { events: 2 } });
  add('first 2', 2);
  add('first 4', 4);
  add('behind 1', 1, 'behind');
  add('behind 3', 3, 'behind');
  await shed();
  expect(ended).toEqual(['behind 1', 'first 2']);
});

test('a delivery may wait for exactly as long as the limit, and no longer', async () => {
  const { clock, add, shed, ended } = openSweeper({ limit: { ageMs: 1_000 } });
  add('m1', clock.now());
  clock.advance(1_000);
  await shed();
  expect(ended).toEqual([]);
  clock.advance(1);
  await shed();
  expect(ended).toEqual(['m1']);
});

test('a process that does not have the turn ends no delivery whose window is over', async () => {
  const { clock, add, sweeper, state, ended } = openSweeper({ windowMs: 1_000 });
  add('m1', clock.now());
  clock.advance(1_001);
  state.hasTurn = false;
  await sweeper.expire();
  expect(ended).toEqual([]);
  state.hasTurn = true;
  await sweeper.expire();
  expect(ended).toEqual(['m1']);
});

test('a delivery that has ended but is still in line is passed over', async () => {
  const { add, shed, events, ended, errors } = openSweeper({ limit: { events: 0 } });
  add('m1', 1);
  const event = newEvent('m1', 'track', [URL_A], 1);
  events.set('m1', { ...event, urls: { [URL_A]: { phase: 'delivered', at: 2, history: [] } } });
  await shed();
  expect([ended, errors]).toEqual([[], []]);
});

test('a delivery that starts while its event is read is not given up', async () => {
  const { add, shed, state, inFlight, ended } = openSweeper({ limit: { events: 1 } });
  add('m1', 1);
  add('m2', 2);
  state.onRead = (id) => inFlight.add(id);
  await shed();
  expect(ended).toEqual([]);
});

test('a delivery whose end cannot be recorded goes back into the queue, and the failure is reported', async () => {
  const { add, shed, state, putBack, errors } = openSweeper({ limit: { events: 0 } });
  add('m1', 1);
  state.isFailing = true;
  await shed();
  expect([putBack, errors]).toEqual([['m1'], [new Error('no room')]]);
});

test('the sweeper does not ask the store for its turn while nothing waits for the endpoint', async () => {
  const { clock, sweeper, add, state } = openSweeper({ limit: { bytes: 100 } });
  sweeper.start();
  await clock.pass(5_000);
  expect(state.turns).toBe(0);
  add('m1', clock.now());
  await clock.pass(1_000);
  expect(state.turns).toBe(1);
  sweeper.stop();
  expect(clock.due).toEqual([]);
});
