import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { EndpointAnswer } from '../../src/delivery/attempt-outcome.js';
import { newEvent } from '../../src/delivery/completion-rule.js';
import { type Bounds, UNBOUNDED } from '../../src/scheduler/backlog-bounds.js';
import type { Made } from '../../src/scheduler/endpoint-options.js';
import { LineEndpoint } from '../../src/scheduler/line-endpoint.js';
import type { EventStore } from '../../src/store/event-store.js';
import type { Leased, Line, LineOptions } from '../../src/store/line.js';
import { lmdbStorage } from '../../src/store/lmdb/lmdb-storage.js';
import { MemoryStore } from '../../src/store/memory/memory-store.js';
import { StoreWriteError } from '../../src/store/store-errors.js';
import { newFolder } from '../cli/files.js';
import { body, simulate, URL_A } from '../destination/simulation.js';
import { openLmdbStore } from '../store/lmdb/open.js';
import { FakeClock, settled } from '../support/fake-clock.js';

const HOUR = 60 * 60_000;
const MINUTE = 60_000;
const ok: EndpointAnswer = { status: 200 };
const busy: EndpointAnswer = { status: 503 };

describe('an endpoint', () => {
  test('an endpoint never has more concurrent requests than its limit', async () => {
    let underWay = 0;
    let most = 0;
    const { accept, ended } = await simulate({
      concurrency: 3,
      send: async () => {
        most = Math.max(most, ++underWay);
        await settled();
        underWay--;
        return ok;
      },
    });
    for (let count = 0; count < 20; count++) await accept(`m${count}`);
    await expect.poll(() => ended.length).toBe(20);
    expect(most).toBe(3);
  });

  test('an endpoint sends first attempts before retries that are due', async () => {
    let release = (): void => {};
    const held = new Promise<EndpointAnswer>((resolve) => {
      release = () => resolve(ok);
    });
    const { accept, clock, sent } = await simulate({
      concurrency: 1,
      send: async (id) => (id === 'held' ? held : id === 'old' ? busy : ok),
    });
    await accept('old');
    await settled();
    await accept('held');
    await accept('new');
    await clock.pass(10_000);
    release();
    await settled();
    expect(sent.map(({ id }) => id)).toEqual(['old', 'held', 'new', 'old']);
  });

  test('an endpoint that hangs gets no further requests after its first ones have failed', async () => {
    const { accept, clock, sent, pauses } = await simulate({
      concurrency: 10,
      send: (): Promise<EndpointAnswer> =>
        new Promise((resolve) => clock.after(5_000, () => resolve({ code: 'TIMEOUT' }))),
    });
    for (let count = 0; count < 500; count++) await accept(`m${count}`);
    await clock.pass(10 * MINUTE);
    expect(pauses.length).toBeGreaterThan(0);
    expect(sent.length).toBeLessThan(40);
  });

  test('an endpoint that was down for three hours gets everything, with few requests in between', async () => {
    const clock = new FakeClock();
    const upAt = clock.now() + 3 * HOUR;
    const { accept, ended, sent, closings } = await simulate({
      clock,
      send: async () => (clock.now() < upAt ? { code: 'ECONNREFUSED' } : ok),
    });
    for (let count = 0; count < 2_000; count++) {
      await accept(`m${count}`);
      if (count % 200 === 0) await clock.pass(MINUTE);
    }
    await clock.pass(3 * HOUR);
    const whileDown = sent.filter(({ at }) => at < upAt).length;
    expect(whileDown).toBeLessThan(10 + 4 + 3 * 60 + 20);
    // Only so many attempts begin in one turn of the event loop.
    for (let minute = 0; minute < 120; minute++) {
      await clock.pass(MINUTE);
      await new Promise(setImmediate);
    }
    expect(ended).toHaveLength(2_000);
    expect(ended.every(({ as }) => as === 'delivered')).toBe(true);
    expect(closings()).toBeGreaterThan(0);
  });

  test('at an endpoint that never recovers, untried events become dead letters after four hours', async () => {
    const { accept, clock, ended, sent, endpoint } = await simulate({ send: async () => busy });
    for (let count = 0; count < 1_500; count++) await accept(`m${count}`);
    await clock.pass(4 * HOUR - 1);
    expect(ended.length).toBe(0);
    await clock.pass(2 * MINUTE);
    const tried = new Set(sent.map(({ id }) => id));
    await expect.poll(() => ended.filter(({ id }) => !tried.has(id)).length).toBe(1_500 - tried.size);
    expect(tried.size).toBeLessThan(300);
    await clock.pass(4 * HOUR + 2 * MINUTE);
    expect(ended).toHaveLength(1_500);
    expect(ended.every(({ as }) => as === 'dead')).toBe(true);
    expect(endpoint.waiting).toBe(0);
  });

  test('an endpoint that asks for a pause with Retry-After gets no requests during it', async () => {
    const { accept, clock, sent } = await simulate({
      concurrency: 10,
      send: async (): Promise<EndpointAnswer> => ({ status: 429, retryAfter: '600' }),
    });
    for (let count = 0; count < 100; count++) await accept(`m${count}`);
    await settled();
    const before = sent.length;
    expect(before).toBeLessThan(20);
    await clock.pass(599_000);
    expect(sent).toHaveLength(before);
    await clock.pass(2_000);
    expect(sent).toHaveLength(before + 1);
  });

  test('an endpoint that fails for one message still gets the others', async () => {
    const { accept, clock, ended, pauses } = await simulate({ send: async (id) => (id === 'poison' ? busy : ok) });
    await accept('poison');
    for (let count = 0; count < 50; count++) {
      await accept(`m${count}`);
      await clock.pass(MINUTE);
    }
    expect(ended).toHaveLength(50);
    expect(pauses).toEqual([]);
  });
});

/** A store that accepts new events, but cannot record anything while the disk is full. */
function storeOn(disk: { isFull: boolean }, error = new Error('disk full')): EventStore {
  const inner = new MemoryStore();
  return {
    add: (event, bytes) => inner.add(event, bytes),
    update: (id, change) => (disk.isFull ? Promise.reject(error) : inner.update(id, change)),
    event: (id) => inner.event(id),
    body: (id) => inner.body(id),
    waiting: (url, stage, after, limit) => inner.waiting(url, stage, after, limit),
    isBehind: (url, id) => inner.isBehind(url, id),
    dead: (after, limit) => inner.dead(after, limit),
    backlog: () => inner.backlog(),
    deadTotals: () => inner.deadTotals(),
    webhooks: inner.webhooks,
    placeFor: (now) => inner.placeFor(now),
    partitionOf: () => undefined,
    canRecord: () => true,
    onReady: undefined,
    flush: () => inner.flush(),
  };
}

describe('waiting deliveries', () => {
  test('far more deliveries than fit in memory are all sent, in the order in which they came', async () => {
    const store = new MemoryStore();
    const clock = new FakeClock();
    for (let count = 0; count < 5_000; count++) {
      await store.add(newEvent(`m${count}`, 'track', [URL_A], clock.now() + count), body);
    }
    const { sent, ended } = await simulate({ store, clock, concurrency: 1, send: async () => ok });
    await expect.poll(() => ended.length).toBe(5_000);
    expect(sent.map(({ id }) => id)).toEqual(Array.from({ length: 5_000 }, (_, count) => `m${count}`));
  });

  test('a delivery that waited before a restart keeps its due time and its window', async () => {
    const store = new MemoryStore();
    const clock = new FakeClock();
    const before = await simulate({ store, clock, send: async () => busy });
    await before.accept('m1');
    await settled();
    before.endpoint.stop();
    await clock.pass(2_000);
    const after = await simulate({ store, clock, send: async () => busy });
    await clock.pass(2_999);
    expect(after.sent).toEqual([]);
    await clock.pass(1);
    expect(after.sent).toHaveLength(1);
    await clock.pass(5 * HOUR);
    expect(before.sent.length + after.sent.length).toBe(10);
    expect(after.ended).toMatchObject([{ as: 'dead', id: 'm1' }]);
  });

  test('a delivery whose window is over at a restart dies without another attempt', async () => {
    const store = new MemoryStore();
    const clock = new FakeClock();
    const before = await simulate({ store, clock, send: async () => busy });
    await before.accept('m1');
    await settled();
    before.endpoint.stop();
    await clock.pass(4 * HOUR + 1);
    const after = await simulate({ store, clock, send: async () => ok });
    await expect.poll(() => after.ended).toMatchObject([{ as: 'dead', id: 'm1' }]);
    expect(after.sent).toEqual([]);
    expect(after.endpoint.waiting).toBe(0);
  });

  test('a delivery that was never tried is tried after a restart, however late', async () => {
    const store = new MemoryStore();
    const clock = new FakeClock();
    await store.add(newEvent('m1', 'track', [URL_A], clock.now()), body);
    await clock.pass(24 * HOUR);
    const { ended } = await simulate({ store, clock, send: async () => ok });
    expect(ended).toMatchObject([{ as: 'delivered' }]);
  });

  test('a delivery is not late if the clock was set back before a restart', async () => {
    const store = new MemoryStore();
    const before = await simulate({ store, clock: new FakeClock(30 * HOUR), send: async () => busy });
    await before.accept('m1');
    await before.accept('m2');
    await settled();
    before.endpoint.stop();
    const after = await simulate({ store, clock: new FakeClock(10 * HOUR), send: async () => ok });
    await expect.poll(() => after.ended.map(({ as }) => as)).toEqual(['delivered', 'delivered']);
  });

  test('a delivery is not late if the clock was set back before a restart, whatever else waits', async () => {
    const store = new MemoryStore();
    const add = async (id: string, due: number): Promise<void> => {
      const retrying = { phase: 'retrying', due, firstAttemptAt: due - HOUR, attempts: 1, history: [] } as const;
      await store.add({ ...newEvent(id, 'track', [URL_A], due - HOUR), urls: { [URL_A]: retrying } }, body);
    };
    await add('in time', 11 * HOUR);
    await add('from another time', 30 * HOUR);
    const { sent } = await simulate({ store, clock: new FakeClock(10 * HOUR), send: async () => ok });
    await settled();
    expect(sent.map(({ id }) => id)).toEqual(['from another time']);
  });

  test('a delivery is taken up again after the store failed', async () => {
    const disk = { isFull: true };
    const { accept, clock, ended, errors, sent } = await simulate({ store: storeOn(disk), send: async () => ok });
    await accept('m1');
    await settled();
    expect(errors).toEqual([new Error('disk full')]);
    disk.isFull = false;
    await clock.pass(5_000);
    expect(ended).toMatchObject([{ as: 'delivered', id: 'm1' }]);
    expect(sent).toHaveLength(2);
  });

  test('a delivery is sent while an earlier event with the same id, which is settled already, is still being sent', async () => {
    let answerFirst = (_: EndpointAnswer): void => {};
    const first = new Promise<EndpointAnswer>((resolve) => {
      answerFirst = resolve;
    });
    const run = await simulate({ send: () => (run.sent.length === 1 ? first : Promise.resolve(ok)) });
    await run.accept('m1');
    await run.store.update('m1', () => undefined);
    run.endpoint.forget();
    await run.clock.pass(1_000);
    await run.accept('m1');
    answerFirst(ok);
    await settled();
    expect(run.sent).toHaveLength(2);
    expect(run.ended).toMatchObject([{ as: 'delivered', id: 'm1' }]);
    expect(run.endpoint.waiting).toBe(0);
  });

  test('a delivery is sent once while results cannot be recorded, and recorded when that is possible again', async () => {
    const disk = { isFull: true };
    const store = storeOn(disk, new StoreWriteError('no space left'));
    const run = await simulate({ store, concurrency: 4, send: async () => ok });
    for (let count = 0; count < 100; count++) await run.accept(`m${count}`);
    await run.clock.pass(10 * MINUTE);
    expect(run.sent).toHaveLength(4);
    disk.isFull = false;
    await run.clock.pass(10_000);
    expect(run.ended).toHaveLength(100);
    expect(run.sent).toHaveLength(100);
    expect(run.endpoint.waiting).toBe(0);
  });

  test('no delivery is sent while the store reports that results cannot be recorded', async () => {
    const disk = { isFull: true };
    const store = { ...storeOn(disk), canRecord: () => !disk.isFull };
    const run = await simulate({ store, concurrency: 4, send: async () => ok });
    for (let count = 0; count < 100; count++) await run.accept(`m${count}`);
    await run.clock.pass(10 * MINUTE);
    expect(run.sent).toHaveLength(0);
    disk.isFull = false;
    await run.clock.pass(1_000);
    expect(run.ended).toHaveLength(100);
  });

  test('deliveries are looked for only once every five seconds if the store cannot be read', async () => {
    const store = { ...storeOn({ isFull: false }), waiting: () => Promise.reject(new Error('no disk')) };
    const { accept, clock, errors } = await simulate({ store, send: async () => ok });
    for (let count = 0; count < 100; count++) await accept(`m${count}`);
    await clock.pass(MINUTE - 1);
    expect(errors).toHaveLength(12);
  });
});

test('whatever the endpoint does and however often the process restarts, every delivery ends once and in time', async () => {
  const answer = fc.constantFrom<EndpointAnswer>(
    ok,
    busy,
    { status: 404 },
    { status: 429, retryAfter: '40' },
    { code: 'ECONNREFUSED' },
    { code: 'TIMEOUT' },
  );
  const step = fc.oneof(
    fc.record({ do: fc.constant('accept' as const), amount: fc.integer({ min: 1, max: 30 }) }),
    fc.record({ do: fc.constant('advance' as const), amount: fc.oneof(fc.nat(10_000), fc.nat(HOUR)) }),
    fc.record({ do: fc.constant('restart' as const), amount: fc.nat(MINUTE) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(answer, { minLength: 1 }), fc.array(step, { maxLength: 20 }), async (answers, steps) => {
      const store = new MemoryStore();
      const clock = new FakeClock();
      let asked = 0;
      const send = async (): Promise<EndpointAnswer> => answers[asked++ % answers.length] ?? ok;
      const runs = [await simulate({ store, clock, send })];
      let accepted = 0;
      const acts = {
        accept: async (amount: number) => {
          for (let count = 0; count < amount; count++) await runs.at(-1)?.accept(`m${accepted++}`);
        },
        advance: (amount: number) => clock.pass(amount),
        restart: async (amount: number) => {
          runs.at(-1)?.endpoint.stop();
          await clock.pass(amount);
          runs.push(await simulate({ store, clock, send }));
        },
      };
      for (const { do: act, amount } of steps) await acts[act](amount);
      for (let hours = 0; hours < 13; hours++) {
        await clock.pass(HOUR);
        // A delivery that found no room in a turn of the event loop begins in a later one, whatever the time is.
        await new Promise((resolve) => setImmediate(resolve));
      }

      const ended = runs.flatMap((run) => run.ended);
      expect(ended.map(({ id }) => id).toSorted()).toEqual(
        Array.from({ length: accepted }, (_, n) => `m${n}`).toSorted(),
      );
      expect(runs.at(-1)?.endpoint.waiting).toBe(0);
      expect(runs.flatMap((run) => run.errors)).toEqual([]);
      const first = new Map<string, number>();
      for (const { id, at } of runs.flatMap((run) => run.sent)) {
        if (!first.has(id)) first.set(id, at);
        expect(at - (first.get(id) ?? at)).toBeLessThanOrEqual(4 * HOUR);
      }
    }),
    { numRuns: 40 },
  );
});

/** An endpoint whose line has a due delivery but never hands it out, as if its engine had lost it. */
function openStuck(concurrency: number, limit: Partial<Bounds> = {}) {
  const clock = new FakeClock();
  const items: Leased[] = [];
  const returned: string[] = [];
  const ended: string[] = [];
  const state = { isFailing: false, reports: 0, putBack: Promise.resolve() };
  const store = new MemoryStore();
  const counted = { first: 1, retry: 0, bytes: 0, oldestDue: clock.now() as number | undefined };
  let given: LineOptions | undefined;
  const line: Line = {
    take: async (most) => items.splice(0, most()),
    accept: () => undefined,
    settle: () => {},
    putBack: (keys) => {
      for (const { id } of keys) returned.push(id);
      return state.putBack;
    },
    count: async () => counted,
    hasTurn: async () => true,
    close: () => {},
  };
  const lines = (options: LineOptions): [Line] => {
    given = options;
    return [line];
  };
  const ends: ((answer: Made | undefined) => void)[] = [];
  const endpoint = new LineEndpoint({
    url: URL_A,
    store: Object.assign(store, { lines }),
    clock,
    random: () => 0.5,
    concurrency,
    windowMs: HOUR,
    backlog: 1,
    limit: { ...UNBOUNDED, ...limit },
    deliveries: {
      attempt: () => new Promise((resolve) => ends.push(resolve)),
      made: () => {},
      end: async ({ id }) => {
        if (state.isFailing) throw new Error('no room');
        ended.push(id);
        await store.update(id, () => undefined);
      },
      breakerTurned: () => {},
      failingTurned: () => {},
      counted: () => state.reports++,
      failed: () => {},
    },
  });
  endpoint.start();
  const made = (result: 'success' | 'server-error'): Made => ({
    attempt: { at: clock.now(), durationMs: 1, result },
    entry: undefined,
  });
  const begin = async (id: string): Promise<void> => {
    items.push({ item: { at: clock.now(), id }, stage: 'first', isHeld: () => true });
    given?.onDue(0);
    await settled();
  };
  const dueAt = async (time: number | undefined): Promise<void> => {
    counted.oldestDue = time;
    given?.onCount(true);
    await settled();
  };
  const stuck = { clock, endpoint, items, counted, state, returned, ended, store, dueAt, begin };
  return { ...stuck, end: (result?: 'success' | 'server-error') => ends.shift()?.(result && made(result)) };
}

test('only deliveries that were due, had room and did not begin are reported as overdue', async () => {
  const { clock, endpoint, dueAt, begin, end } = openStuck(1);
  await dueAt(clock.now());
  await clock.pass(90_000);
  expect(endpoint.dueUnclaimedMs).toBe(90_000);
  endpoint.setPaused(true);
  await clock.pass(30_000);
  expect(endpoint.dueUnclaimedMs).toBe(0);
  endpoint.setPaused(false);
  await clock.pass(10_000);
  expect(endpoint.dueUnclaimedMs).toBe(10_000);
  await begin('m1');
  await clock.pass(30_000);
  expect(endpoint.dueUnclaimedMs).toBe(0);
  end('success');
  await settled();
  await clock.pass(5_000);
  expect(endpoint.dueUnclaimedMs).toBe(5_000);
  await dueAt(clock.now() + 1);
  expect(endpoint.dueUnclaimedMs).toBe(0);
  await dueAt(undefined);
  expect(endpoint.dueUnclaimedMs).toBe(0);
});

test('deliveries to an endpoint whose breaker is open are not reported as overdue', async () => {
  const { clock, endpoint, begin, end } = openStuck(1);
  for (let failed = 0; failed < 30 && endpoint.health.breaker.phase === 'closed'; failed++) {
    await begin(`m${failed}`);
    end('server-error');
    await settled();
  }
  expect(endpoint.health.breaker.phase).toBe('open');
  await clock.pass(3_000);
  expect(endpoint.dueUnclaimedMs).toBe(0);
});

test('deliveries of a store in memory or in lmdb are scheduled in the memory of the process', async () => {
  const lmdb = await openLmdbStore({ path: await newFolder(), lock: 'alone' });
  onTestFinished(() => lmdb.close());
  const storage = await lmdbStorage({ path: await newFolder() });
  onTestFinished(() => storage.close());
  for (const store of [new MemoryStore(), lmdb, await storage.deliveries('orders')]) {
    const endpoint = new LineEndpoint({ store, url: 'a', backlog: 7, limit: {}, clock: {} } as never);
    expect(endpoint.waiting).toBe(7);
  }
});

test('nothing is taken from a shared store while the endpoint is paused', async () => {
  const { endpoint, begin, items } = openStuck(2);
  endpoint.setPaused(true);
  await begin('m1');
  expect(items).toHaveLength(1);
  endpoint.setPaused(false);
  await settled();
  expect([items.length, endpoint.inFlight]).toEqual([0, 1]);
});

test('deliveries beyond the limit end when a count of the shared store shows them', async () => {
  const { endpoint, counted, ended, store, dueAt, clock } = openStuck(2, { events: 1 });
  for (const id of ['m1', 'm2', 'm3']) await store.add(newEvent(id, 'track', [URL_A], clock.now()), body);
  counted.first = 3;
  await dueAt(clock.now());
  counted.first = 1;
  await endpoint.quiet();
  expect(ended.slice(0, 2)).toEqual(['m1', 'm2']);
});

test('deliveries are not reported as overdue while the endpoint rests because one could not be ended', async () => {
  const { clock, endpoint, counted, state, store, dueAt } = openStuck(2, { events: 1 });
  for (const id of ['m1', 'm2']) await store.add(newEvent(id, 'track', [URL_A], clock.now()), body);
  state.isFailing = true;
  counted.first = 2;
  await dueAt(clock.now());
  await endpoint.quiet();
  await clock.pass(4_000);
  expect(endpoint.dueUnclaimedMs).toBe(0);
});

test('a request that runs counts as waiting even if a count of the shared store lacks it', async () => {
  const { clock, endpoint, counted, begin, dueAt, end, state } = openStuck(2);
  await begin('m1');
  counted.first = 0;
  await dueAt(clock.now());
  expect(endpoint.waiting).toBe(1);
  const { reports } = state;
  end('success');
  await settled();
  expect(endpoint.waiting).toBe(0);
  expect(state.reports).toBeGreaterThan(reports);
});

test('an endpoint that stops is quiet only after its unstarted deliveries were put back', async () => {
  const { endpoint, items, begin, end, returned, state, clock } = openStuck(1);
  items.push({ item: { at: clock.now(), id: 'm1' }, stage: 'first', isHeld: () => true });
  await begin('m2');
  let putBack = (): void => {};
  state.putBack = new Promise<void>((resolve) => {
    putBack = resolve;
  });
  endpoint.setPaused(true);
  end('success');
  await settled();
  endpoint.stop();
  expect([endpoint.inFlight, returned]).toEqual([0, ['m2']]);
  let isQuiet = false;
  const quiet = endpoint.quiet().then(() => {
    isQuiet = true;
  });
  await settled();
  expect(isQuiet).toBe(false);
  putBack();
  await quiet;
});

test('a delivery that had nothing to send is put back only if the endpoint has stopped', async () => {
  const { endpoint, begin, end, returned } = openStuck(2);
  await begin('m1');
  end();
  await settled();
  expect(returned).toEqual([]);
  await begin('m2');
  endpoint.stop();
  end();
  await settled();
  expect(returned).toEqual(['m2']);
});

test.each([
  ['accepted', 1],
  ['accepted', 2],
  ['ready', 1],
  ['ready', 2],
] as const)(
  'an event that is announced as %s while it is being sent is sent once, with room for %d requests',
  async (as, concurrency) => {
    let answer = (_: EndpointAnswer): void => {};
    const first = new Promise<EndpointAnswer>((resolve) => {
      answer = resolve;
    });
    const run = await simulate({ concurrency, send: () => first });
    await run.accept('m1');
    await settled();
    const item = { at: run.clock.now(), id: 'm1', body };
    if (as === 'ready') run.endpoint.ready(item);
    else run.endpoint.accept(item, false);
    await settled();
    expect(run.sent).toHaveLength(1);
    answer(ok);
    await settled();
    expect([run.sent.length, run.ended.length]).toEqual([1, 1]);
  },
);

test('an endpoint that has stopped leaves no timer behind', async () => {
  const run = await simulate({ limit: { ageMs: HOUR }, send: async () => busy });
  await run.accept('m1');
  await run.clock.pass(6_000);
  // The first retry of this one is due before the second of the other.
  await run.accept('m2');
  await settled();
  run.endpoint.stop();
  expect(run.clock.due).toEqual([]);
});

test('after a store failed nothing is sent for five seconds, even if another request failed there shortly before', async () => {
  const disk = { isFull: true };
  const clock = new FakeClock();
  const start = clock.now();
  const send = (id: string): Promise<EndpointAnswer> =>
    id === 'slow' ? new Promise((resolve) => clock.after(2_000, () => resolve(ok))) : Promise.resolve(ok);
  const run = await simulate({ store: storeOn(disk), clock, concurrency: 2, send });
  await run.accept('slow');
  await run.accept('quick');
  await settled();
  await clock.pass(9_999);
  expect(run.sent.map(({ id, at }) => `${id} ${at - start}`)).toEqual(['slow 0', 'quick 0', 'quick 5000']);
});

test('a retry that is due in more than a month is sent then, and no timer is longer than a timer can be', async () => {
  const DAY = 24 * HOUR;
  const [store, clock] = [new MemoryStore(), new FakeClock()];
  const due = clock.now() + 40 * DAY;
  const retrying = { phase: 'retrying', due, firstAttemptAt: clock.now(), attempts: 1, history: [] } as const;
  await store.add({ ...newEvent('m1', 'track', [URL_A], clock.now()), urls: { [URL_A]: retrying } }, body);
  const timers: number[] = [];
  const after = clock.after.bind(clock);
  clock.after = (ms, act) => {
    timers.push(ms);
    return after(ms, act);
  };
  const run = await simulate({ store, clock, windowMs: 60 * DAY, send: async () => ok });
  await clock.pass(40 * DAY);
  expect(run.sent).toEqual([{ id: 'm1', at: due }]);
  expect(Math.max(...timers)).toBeLessThan(2 ** 31);
});

test('a delivery whose window ends during a long pause that the endpoint asked for ends soon after, not after the pause', async () => {
  const send = async (): Promise<EndpointAnswer> => ({ status: 429, retryAfter: '600' });
  const run = await simulate({ windowMs: 60_000, concurrency: 10, send });
  for (let count = 0; count < 100; count++) await run.accept(`m${count}`);
  await run.clock.pass(60_000);
  const untried = 100 - new Set(run.sent.map(({ id }) => id)).size;
  expect(untried).toBeGreaterThan(0);
  await run.clock.pass(16_000);
  expect(run.ended.length).toBeGreaterThanOrEqual(untried);
});

test('deliveries whose end during a pause cannot be read are ended once the store can be read again', async () => {
  const disk = { isFull: false, isAway: false };
  const inner = storeOn(disk);
  const waiting: EventStore['waiting'] = (...given) =>
    disk.isAway ? Promise.reject(new Error('away')) : inner.waiting(...given);
  const run = await simulate({ store: { ...inner, waiting }, windowMs: 60_000, send: async () => ok });
  run.endpoint.setPaused(true);
  await run.accept('m1');
  disk.isAway = true;
  await run.clock.pass(90_000);
  expect(run.errors).toContainEqual(new Error('away'));
  expect(run.ended).toEqual([]);
  disk.isAway = false;
  await run.clock.pass(15_000);
  expect(run.ended).toMatchObject([{ as: 'dead', id: 'm1' }]);
});
