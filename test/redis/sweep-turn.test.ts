import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/base/time/clock.js';
import { newEvent } from '../../src/delivery/completion-rule.js';
import { UNBOUNDED } from '../../src/scheduler/backlog-bounds.js';
import { SharedQueue } from '../../src/scheduler/shared-queue.js';
import { Sweeper } from '../../src/scheduler/sweeper.js';
import type { RedisStore } from '../../src/store/redis/redis-store.js';
import { RedisServer } from './redis-server.js';
import { openStore } from './storage.js';

const URL_A = 'https://a.example/';
const HOUR_MS = 3_600_000;
const clock = systemClock();
const NO_ROOM = { room: () => 0, ahead: () => 0, onNews: () => {}, onCounted: () => {}, onError: () => {} };

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

/** Opens the sweeper of one of several processes, with the keys that it has ended. */
function openSweeper(store: RedisStore) {
  const ended: { id: string; at: number }[] = [];
  const queue = new SharedQueue({ store, url: URL_A, clock, windowMs: HOUR_MS, backlog: 0, ...NO_ROOM });
  onTestFinished(() => queue.stop());
  const sweeper = new Sweeper({
    ...{ url: URL_A, clock, windowMs: HOUR_MS, limit: UNBOUNDED, store, queue },
    endpoint: { inFlight: 0, isInFlight: () => false },
    deliveries: {
      end: async ({ id, at }) => {
        ended.push({ id, at });
        await store.update(id, () => undefined);
      },
    },
    onBegun: () => {},
    onFailed: (error) => expect.unreachable(String(error)),
  });
  return { sweeper, ended };
}

/** Adds three events of one user, accepted one after another. The first is in line. */
async function addThree(store: RedisStore, at: number): Promise<void> {
  for (const index of [0, 1, 2]) {
    const event = newEvent(`m${index}`, 'track', [URL_A], at + index, { bytes: 2, user: 'ann-------------' });
    await store.add({ ...event, isOrdered: true }, Buffer.from('{}'));
  }
}

test('expired deliveries behind others end before those in line, so that none enters the line only to end', async () => {
  const store = await openStore(server);
  await addThree(store, 1_000);
  const { sweeper, ended } = openSweeper(store);
  await sweeper.expire();
  expect(ended.map(({ id }) => id).toSorted()).toEqual(['m0', 'm1', 'm2']);
  expect(ended.at(-1)?.id).toBe('m0');
});

test('one process at a time sweeps a line, and ends deliveries by the times of their events', async () => {
  const store = await openStore(server);
  const now = Date.now();
  const [mine, theirs] = [openSweeper(store), openSweeper(store)];
  await mine.sweeper.expire();
  // A process whose clock is behind writes it, so Redis has it in the line at a later time than its event has.
  await store.add(newEvent('over', 'track', [URL_A], now - 2 * HOUR_MS, { bytes: 2 }), Buffer.from('{}'));
  const over = {
    phase: 'retrying',
    due: now - 2,
    firstAttemptAt: now - HOUR_MS - 1_000,
    attempts: 1,
    history: [],
  } as const;
  await store.update('over', (event) => ({ ...event, urls: { [URL_A]: over } }));
  await theirs.sweeper.expire();
  expect(theirs.ended).toEqual([]);
  await mine.sweeper.expire();
  expect(mine.ended).toEqual([{ id: 'over', at: now - 2 }]);
  await store.add(newEvent('next', 'track', [URL_A], now - 2 * HOUR_MS, { bytes: 2 }), Buffer.from('{}'));
  await expect
    .poll(async () => {
      await theirs.sweeper.expire();
      return theirs.ended.map(({ id }) => id);
    })
    .toEqual(['next']);
});
