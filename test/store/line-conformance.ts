import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/base/time/clock.js';
import { newEvent } from '../../src/delivery/completion-rule.js';
import type { Retrying } from '../../src/delivery/state.js';
import { UNBOUNDED } from '../../src/scheduler/backlog-bounds.js';
import type { Queue } from '../../src/scheduler/queue.js';
import { ReadyQueue } from '../../src/scheduler/ready-queue.js';
import { SharedQueue } from '../../src/scheduler/shared-queue.js';
import { Sweeper } from '../../src/scheduler/sweeper.js';
import type { EventStore } from '../../src/store/event-store.js';
import { hasLines, type TakenDelivery } from '../../src/store/line.js';
import type { StorageUnderTest } from './storage-under-test.js';

const URL_A = 'https://a.example/hook';
const WINDOW_MS = 60 * 60_000;
const BODY = Buffer.from('{"type":"track"}');

/** How long a test waits to see that no delivery appears, in ms. It is longer than an engine takes to look. */
const QUIET_MS = 600;

const clock = systemClock();
const retrying = (due: number, firstAttemptAt = due - 5_000): Retrying => ({
  phase: 'retrying',
  due,
  firstAttemptAt,
  attempts: 1,
  history: [],
});

/** Opens the queue of one endpoint in one process, with the calls that an endpoint makes. */
function openLine(store: EventStore, room = 100) {
  const errors: unknown[] = [];
  const options = {
    url: URL_A,
    clock,
    windowMs: WINDOW_MS,
    backlog: 0,
    room: () => room,
    ahead: () => 0,
    onNews: () => {},
    onCounted: () => {},
    onError: (error: unknown) => errors.push(error),
  };
  const line: Queue = hasLines(store) ? new SharedQueue({ ...options, store }) : new ReadyQueue({ ...options, store });
  onTestFinished(() => line.stop());
  const add = async (id: string): Promise<void> => {
    const at = clock.now();
    const place = store.placeFor(at);
    await store.add(newEvent(id, 'track', [URL_A], at, { bytes: BODY.length, place }), BODY);
    line.accept({ at: place, id, body: BODY }, false);
  };
  /** Asks for the next delivery, as an endpoint does whenever there may be one. */
  const next = async (withinMs = 10_000): Promise<TakenDelivery | undefined> => {
    for (const end = Date.now() + withinMs; Date.now() < end; await delay(5)) {
      const taken = line.take(clock.now());
      if (taken !== undefined) return taken;
      await line.fill();
    }
    return undefined;
  };
  const takeIds = async (count: number): Promise<(string | undefined)[]> => {
    const ids: (string | undefined)[] = [];
    while (ids.length < count) ids.push((await next())?.item.id);
    return ids;
  };
  /** Records a failed attempt and schedules the next one. */
  const retry = async (taken: TakenDelivery, state: Retrying): Promise<void> => {
    await store.update(taken.item.id, (event) => ({ ...event, urls: { [URL_A]: state } }));
    line.settle(taken, { at: state.due, id: taken.item.id });
  };
  const end = async (taken: TakenDelivery): Promise<void> => {
    await store.update(taken.item.id, () => undefined);
    line.settle(taken, undefined);
    line.forget();
  };
  const taken = async (): Promise<TakenDelivery> => {
    const found = await next();
    if (found === undefined) throw new Error('Nothing was taken');
    return found;
  };
  return { line, add, next, taken, takeIds, retry, end, errors };
}

/** Tests what the scheduler expects of a line, whichever engine stores the deliveries. */
export function describeLine({
  name,
  setUp,
  isShared = false,
}: Omit<StorageUnderTest, 'isShared'> & { isShared?: boolean }): void {
  const openStores = async (count = 1): Promise<EventStore[]> => {
    const open = await setUp();
    return Promise.all(
      Array.from({ length: count }, async () => {
        const storage = await open();
        onTestFinished(() => storage.close());
        return storage.deliveries('orders');
      }),
    );
  };
  const openOne = async () => {
    const [store] = await openStores();
    if (store === undefined) throw new Error('There is one');
    return { store, ...openLine(store) };
  };

  describe(`the line of an endpoint on ${name}`, () => {
    test('a line hands out first attempts in the order of acceptance, each once, with the body', async () => {
      const { add, takeIds, taken, next, errors } = await openOne();
      for (const id of ['m2', 'm1', 'm3', 'm4']) await add(id);
      expect(await takeIds(3)).toEqual(['m2', 'm1', 'm3']);
      expect(String((await taken()).item.body ?? BODY)).toBe(String(BODY));
      expect(await next(QUIET_MS)).toBeUndefined();
      expect(errors).toEqual([]);
    });

    test('a line hands out a delivery again after it was put back, but not after it was settled', async () => {
      const { line, add, taken, next, end } = await openOne();
      await add('m1');
      await add('m2');
      const [one, two] = [await taken(), await taken()];
      await end(two);
      line.putBack(one);
      expect((await taken()).item.id).toBe('m1');
      expect(await next(QUIET_MS)).toBeUndefined();
    });

    test('a line hands out new deliveries before due retries, and a retry only once it is due', async () => {
      const { add, taken, next, retry } = await openOne();
      await add('due');
      await add('later');
      await retry(await taken(), retrying(clock.now() - 1));
      const dueAt = clock.now() + 2 * QUIET_MS;
      await retry(await taken(), retrying(dueAt));
      await add('new');
      const stages = [await taken(), await taken()].map(({ item, stage }) => `${item.id} ${stage}`);
      expect(stages).toEqual(['new first', 'due retry']);
      expect(await next(QUIET_MS)).toBeUndefined();
      expect((await taken()).item.id).toBe('later');
      expect(clock.now()).toBeGreaterThanOrEqual(dueAt);
    });

    test('a line counts deliveries that have not ended, whether taken or not', async () => {
      const { line, add, taken, end, retry } = await openOne();
      for (const id of ['m1', 'm2', 'm3']) await add(id);
      // A count that runs while a delivery arrives may include it twice, until the next count.
      await expect.poll(() => line.waiting).toBe(3);
      await retry(await taken(), retrying(clock.now() + WINDOW_MS / 2));
      await taken();
      await expect.poll(() => line.count()).toMatchObject({ first: 2, retry: 1, bytes: 3 * BODY.length });
      await end(await taken());
      await expect.poll(() => line.waiting).toBe(2);
      await expect.poll(() => line.count()).toMatchObject({ first: 1, retry: 1, bytes: 2 * BODY.length });
    });

    test.each([
      ['has outlived its window', {}, ['late window-over']],
      [
        'exceeds the maximum number, retries first',
        { events: 1 },
        ['late backlog-full', 'tried backlog-full', 'm1 backlog-full'],
      ],
      ['has waited too long', { ageMs: 50 }, ['m1 backlog-full', 'm2 backlog-full']],
    ])('a line ends each delivery that %s', async (_, limit, ends) => {
      const { store, line, add, taken, retry } = await openOne();
      for (const id of ['late', 'tried', 'm1', 'm2']) await add(id);
      await retry(await taken(), retrying(clock.now() - 2, clock.now() - WINDOW_MS - 1));
      await retry(await taken(), retrying(clock.now() - 1));
      await line.fill();
      const ended: string[] = [];
      const begun: Promise<void>[] = [];
      const sweeper = new Sweeper({
        ...{ url: URL_A, clock, windowMs: WINDOW_MS, limit: { ...UNBOUNDED, ...limit }, store, queue: line },
        endpoint: { inFlight: 0, isInFlight: () => false },
        deliveries: {
          end: async ({ id }, reason) => {
            ended.push(`${id} ${reason}`);
            await store.update(id, () => undefined);
          },
        },
        onBegun: (work) => begun.push(work),
        onFailed: (error) => expect.unreachable(String(error)),
      });
      onTestFinished(async () => {
        sweeper.stop();
        await Promise.all(begun);
      });
      sweeper.start();
      sweeper.shed();
      // The processes take turns at sweeping, so it may be another one's turn for a while.
      await expect
        .poll(
          async () => {
            if (Object.keys(limit).length === 0) await sweeper.expire();
            return ended;
          },
          { timeout: 10_000 },
        )
        .toEqual(ends);
    });

    if (!isShared) return;

    test('a line hands out a delivery to only one process, and to another one as soon as the first gives it up', async () => {
      const [one, other] = (await openStores(2)).map((store) => openLine(store, 2));
      if (one === undefined || other === undefined) throw new Error('There are two');
      for (const id of ['m1', 'm2']) await one.add(id);
      expect(await one.takeIds(1)).toEqual(['m1']);
      one.line.stop();
      expect((await other.next())?.item.id).toBe('m2');
      expect(await other.next(QUIET_MS)).toBeUndefined();
    });

    test('a line hands out a delivery that another process has accepted but has no room for', async () => {
      const [one, other] = await openStores(2);
      if (one === undefined || other === undefined) throw new Error('There are two');
      const full = openLine(one, 0);
      const free = openLine(other);
      await full.add('m1');
      expect((await free.next())?.item.id).toBe('m1');
    });

    test('a line hands out the deliveries of a dead process once its leases have ended', async () => {
      const open = await setUp();
      const [gone, there] = [await open(), await open()];
      onTestFinished(() => there.close());
      const dead = openLine(await gone.deliveries('orders'));
      const alive = openLine(await there.deliveries('orders'));
      await dead.add('m1');
      expect(await dead.takeIds(1)).toEqual(['m1']);
      // Its connections are closed with it, so it renews no lease.
      await gone.close();
      expect((await alive.next(20_000))?.item.id).toBe('m1');
    });
  });
}
