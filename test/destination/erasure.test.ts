import { expect, test } from 'vitest';
import { newEvent } from '../../src/delivery/completion-rule.js';
import { userKey } from '../../src/delivery/user-key.js';
import { Destination } from '../../src/destination/destination.js';
import type { DeletedUsers } from '../../src/destination/erasure.js';
import { Erasure } from '../../src/destination/erasure.js';
import { EventLog } from '../../src/store/event-log.js';
import { MemoryStore } from '../../src/store/memory/memory-store.js';
import { seal } from '../../src/store/store.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { FakeClock, settled } from '../support/fake-clock.js';

const MINUTE_MS = 60_000;

/** Until the first retry is due. */
const RETRY_MS = 5_000;

/** Users who are deleted when the test says so. */
function deletions(clock: FakeClock) {
  const times = new Map<string | undefined, number>();
  const deletedUsers: DeletedUsers = {
    latest: async () => (times.size === 0 ? undefined : Math.max(...times.values())),
    deletedAt: async (user) => times.get(user),
  };
  return { deletedUsers, remove: (userId: string) => void times.set(userKey({ userId }), clock.now()) };
}

async function open(status: number, options: { webhooks?: number; settle?: 'any' | 'each' } = {}) {
  const clock = new FakeClock();
  const { deletedUsers, remove } = deletions(clock);
  const hooks = await Promise.all(
    Array.from({ length: options.webhooks ?? 1 }, () => startEndpoint(status, status, 200)),
  );
  const store = new MemoryStore();
  const destination = await Destination.openIn(
    {
      webhooks: hooks.map(({ url }) => ({ url })),
      settle: options.settle,
      allowLoopback: true,
      concurrency: 1,
      store: seal(store),
    },
    { clock, random: () => 0.5, deletedUsers },
  );
  const deliver = (messageId: string, userId = 'ann') =>
    destination.deliver({ type: 'track', event: 'Bought', messageId, userId, timestamp: new Date() });
  return { clock, hooks, store, destination, deliver, remove };
}

/** With `any`: accepted = delivered + dead + erased + waiting. */
function balance({ destination }: Awaited<ReturnType<typeof open>>) {
  const { accepted, delivered, dead, erased } = destination.counters();
  const [waiting = 0] = destination.endpoints().map((endpoint) => endpoint.waiting);
  return { accepted, sum: delivered + dead + erased + waiting, erased };
}

test('an event that waits for another attempt when its user is deleted is not sent again, and counts as erased', async () => {
  const given = await open(503);
  const { clock, hooks, store, destination, deliver, remove } = given;
  await deliver('m1');
  await deliver('m2', 'bob');
  await expect.poll(() => destination.counters().attempts).toBe(2);
  clock.advance(1);
  remove('ann');
  await clock.pass(RETRY_MS);
  await hooks[0]?.has(3);
  await settled();
  const sent = hooks[0]?.received.map(({ body }) => JSON.parse(body.toString()).messageId);
  expect(sent?.filter((id) => id === 'm1')).toHaveLength(1);
  expect(await store.event('m1')).toBeUndefined();
  expect(await store.body('m1')).toBeUndefined();
  await destination.idle();
  expect(balance(given)).toEqual({ accepted: 2, sum: 2, erased: 1 });
});

test('an event that is accepted after its user was deleted is delivered', async () => {
  const { clock, hooks, deliver, remove } = await open(200);
  remove('ann');
  clock.advance(1);
  await deliver('m1');
  await hooks[0]?.has(1);
});

test('a first attempt that has not begun when its user is deleted is never made', async () => {
  const given = await open(200);
  const { clock, hooks, destination, deliver, remove } = given;
  destination.setPaused(true);
  await deliver('m1');
  clock.advance(1);
  remove('ann');
  destination.setPaused(false);
  await destination.idle();
  expect(hooks[0]?.received).toEqual([]);
  expect(balance(given)).toEqual({ accepted: 1, sum: 1, erased: 1 });
});

test('a dead letter of a deleted user is erased by a replay, not sent', async () => {
  const { clock, hooks, store, destination, deliver, remove } = await open(400);
  await deliver('m1');
  await expect.poll(() => destination.counters().dead).toBe(1);
  clock.advance(1);
  remove('ann');
  expect(await destination.replay({})).toBe(0);
  await destination.idle();
  expect(hooks[0]?.received).toHaveLength(1);
  expect(await store.event('m1')).toBeUndefined();
  expect(destination.counters()).toMatchObject({ accepted: 1, dead: 1, erased: 0, replayed: 0 });
});

test('with each URL on its own, every delivery of a deleted user ends as erased', async () => {
  const { clock, store, destination, deliver, remove } = await open(503, { webhooks: 2, settle: 'each' });
  await deliver('m1');
  await expect.poll(() => destination.counters().attempts).toBe(2);
  clock.advance(1);
  remove('ann');
  await clock.pass(RETRY_MS);
  await destination.idle();
  expect(destination.counters()).toMatchObject({ accepted: 1, delivered: 0, dead: 0, erased: 2 });
  expect(await store.event('m1')).toBeUndefined();
});

/** An event of a user, in a store, and an erasure that may find it. */
async function stored(type: 'track' | 'delete' = 'track') {
  const clock = new FakeClock();
  const store = new MemoryStore();
  const eventLog = new EventLog({ store, settle: 'any', windowMs: MINUTE_MS, random: () => 0.5 });
  const { deletedUsers, remove } = deletions(clock);
  const erasure = new Erasure({ store, eventLog, deletedUsers, onErased: () => {} });
  await store.add(
    newEvent('m1', type, ['a'], clock.now(), { user: userKey({ userId: 'ann' }) ?? '' }),
    Buffer.from('{}'),
  );
  return { clock, store, eventLog, erasure, remove };
}

test('a delivery that fails for good after its user was deleted leaves no dead letter', async () => {
  const { clock, store, eventLog, erasure, remove } = await stored();
  const key = { at: clock.now(), id: 'm1' };
  clock.advance(1);
  remove('ann');
  const entry = await eventLog.expire('a', key, clock.now());
  expect(entry).toMatchObject({ ending: { as: 'dead' } });
  expect(entry && (await erasure.read(entry))).toMatchObject({ ending: { as: 'erased', urls: ['a'] } });
  expect(await store.event('m1')).toBeUndefined();
});

test('the notification of a deletion is not erased by a later deletion of the same user', async () => {
  const { clock, erasure, remove } = await stored('delete');
  clock.advance(1);
  remove('ann');
  expect(await erasure.erase({ id: 'm1' })).toBe(false);
});

test('an event that came by the id of one that is being erased stays', async () => {
  const { eventLog, store, clock } = await stored();
  expect(await eventLog.erase({ id: 'm1', acceptedAt: clock.now() - 1 })).toBeUndefined();
  expect(await store.event('m1')).toBeDefined();
});
