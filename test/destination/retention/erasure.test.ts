import { expect, test } from 'vitest';
import { newEvent } from '../../../src/delivery/completion-rule.js';
import { userKey } from '../../../src/delivery/event-names.js';
import { Destination } from '../../../src/destination/destination.js';
import type { DeletedUsers } from '../../../src/destination/retention/erasure.js';
import { Erasure } from '../../../src/destination/retention/erasure.js';
import { EventLog } from '../../../src/store/event-log.js';
import { MemoryStore } from '../../../src/store/memory/memory-store.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { seal } from '../../store/seal.js';
import { FakeClock, settled } from '../../support/fake-clock.js';

const MINUTE_MS = 60_000;

/** The time until the first retry is due. */
const RETRY_MS = 5_000;

/** Creates a list of deleted users that the test controls. */
function deletions() {
  const epochs = new Map<string | undefined, number>();
  let epoch = 0;
  let onAsked = (): void => {};
  const deletedUsers: DeletedUsers = {
    get latest() {
      return epoch;
    },
    epoch: async () => {
      const asked = epoch;
      onAsked();
      return asked;
    },
    deletedIn: async (user) => epochs.get(user),
  };
  const remove = (userId: string): void => void epochs.set(userKey({ userId }), ++epoch);
  /** Deletes a user when the count has been requested this many times, before a connection can exist. */
  const removeOnceAsked = (times: number, userId: string): void => {
    let left = times;
    onAsked = () => {
      if (--left === 0) setMicrotasks(10, () => remove(userId));
    };
  };
  return { deletedUsers, remove, removeOnceAsked };
}

async function open(status: number, options: { webhooks?: number; settle?: 'any' | 'each'; ordered?: 'user' } = {}) {
  const clock = new FakeClock();
  const { deletedUsers, remove, removeOnceAsked } = deletions();
  const hooks = await Promise.all(
    Array.from({ length: options.webhooks ?? 1 }, () => startEndpoint(status, status, 200)),
  );
  const store = new MemoryStore();
  const destination = await Destination.openIn(
    {
      webhooks: hooks.map(({ url }) => ({ url })),
      settle: options.settle,
      ordered: options.ordered,
      allowLoopback: true,
      concurrency: options.ordered === undefined ? 1 : 10,
      store: seal(store),
    },
    { clock, random: () => 0.5, deletedUsers },
  );
  const deliver = (messageId: string, userId = 'ann') =>
    destination.deliver({ type: 'track', event: 'Bought', messageId, userId, timestamp: new Date() });
  return { clock, hooks, store, destination, deliver, remove, removeOnceAsked };
}

/** Calls `act` after this many microtasks. */
function setMicrotasks(count: number, act: () => void): void {
  queueMicrotask(() => (count === 0 ? act() : setMicrotasks(count - 1, act)));
}

/** Returns the counts that must balance. With `any`: accepted = delivered + dead + erased + waiting. */
function balance({ destination }: Awaited<ReturnType<typeof open>>) {
  const { accepted, delivered, dead, erased } = destination.counters();
  const [waiting = 0] = destination.endpoints().map((endpoint) => endpoint.waiting);
  return { accepted, sum: delivered + dead + erased + waiting, erased };
}

test('an event whose user is deleted while its first request waits for a connection is not sent, and counts as erased', async () => {
  const given = await open(200);
  // The count is requested when the event is accepted, and before the attempt.
  given.removeOnceAsked(2, 'ann');
  await given.deliver('ann-1');
  await given.destination.idle();
  expect(given.hooks[0]?.received).toEqual([]);
  expect(balance(given)).toEqual({ accepted: 1, sum: 1, erased: 1 });
  await given.destination.close();
});

test('waiting for the attempts before a deletion ends with the last of them, and ignores later attempts', async () => {
  const store = new MemoryStore();
  const eventLog = new EventLog({ store, settle: 'any', windowMs: MINUTE_MS, random: () => 0.5 });
  const erasure = new Erasure({ store, eventLog, onErased: () => {} });
  const [first, second] = [erasure.enter(), erasure.enter()];
  const ends: string[] = [];
  const before = erasure.attemptsBefore().then(() => ends.push('before'));
  const later = erasure.enter();
  first.leave();
  await settled();
  expect(ends).toEqual([]);
  second.leave();
  await before;
  const after = erasure.attemptsBefore().then(() => ends.push('after'));
  await settled();
  expect(ends).toEqual(['before']);
  later.leave();
  await after;
});

test('a deletion also waits for the attempts before the previous deletion', async () => {
  const store = new MemoryStore();
  const eventLog = new EventLog({ store, settle: 'any', windowMs: MINUTE_MS, random: () => 0.5 });
  const erasure = new Erasure({ store, eventLog, onErased: () => {} });
  const attempt = erasure.enter();
  let isOver = false;
  const first = erasure.attemptsBefore();
  const second = erasure.attemptsBefore().then(() => {
    isOver = true;
  });
  await settled();
  expect(isOver).toBe(false);
  attempt.leave();
  await Promise.all([first, second]);
});

test('an event that waits for a retry when its user is deleted is not sent again, and counts as erased', async () => {
  const given = await open(503);
  const { clock, hooks, store, destination, deliver, remove } = given;
  await deliver('m1');
  await deliver('m2', 'bob');
  await expect.poll(() => destination.counters().attempts).toBe(2);
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
  const { hooks, deliver, remove } = await open(200);
  remove('ann');
  await deliver('m1');
  await hooks[0]?.has(1);
});

test('a first attempt that has not started when its user is deleted is never made', async () => {
  const given = await open(200);
  const { hooks, destination, deliver, remove } = given;
  destination.setPaused(true);
  await deliver('m1');
  remove('ann');
  destination.setPaused(false);
  await destination.idle();
  expect(hooks[0]?.received).toEqual([]);
  expect(balance(given)).toEqual({ accepted: 1, sum: 1, erased: 1 });
});

test('a dead letter of a deleted user is erased by a replay, not sent', async () => {
  const { hooks, store, destination, deliver, remove } = await open(400);
  await deliver('m1');
  await expect.poll(() => destination.counters().dead).toBe(1);
  remove('ann');
  expect(await destination.replay({})).toBe(0);
  await destination.idle();
  expect(hooks[0]?.received).toHaveLength(1);
  expect(await store.event('m1')).toBeUndefined();
  expect(destination.counters()).toMatchObject({ accepted: 1, dead: 1, erased: 0, replayed: 0 });
});

test('with the rule each, every delivery of a deleted user ends as erased', async () => {
  const { clock, store, destination, deliver, remove } = await open(503, { webhooks: 2, settle: 'each' });
  await deliver('m1');
  await expect.poll(() => destination.counters().attempts).toBe(2);
  remove('ann');
  await clock.pass(RETRY_MS);
  await destination.idle();
  expect(destination.counters()).toMatchObject({ accepted: 1, delivered: 0, dead: 0, erased: 2 });
  expect(await store.event('m1')).toBeUndefined();
});

/** Stores an event of a user, with an erasure that may cover it. */
async function stored(type: 'track' | 'delete' = 'track') {
  const clock = new FakeClock();
  const store = new MemoryStore();
  const eventLog = new EventLog({ store, settle: 'any', windowMs: MINUTE_MS, random: () => 0.5 });
  const { deletedUsers, remove } = deletions();
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
  remove('ann');
  const entry = await eventLog.expire('a', key, clock.now());
  expect(entry).toMatchObject({ ending: { as: 'dead' } });
  expect(entry && (await erasure.read(entry))).toMatchObject({ ending: { as: 'erased', urls: ['a'] } });
  expect(await store.event('m1')).toBeUndefined();
});

test('the notification of a deletion is not erased by a later deletion of the same user', async () => {
  const { erasure, remove } = await stored('delete');
  remove('ann');
  expect(await erasure.erase({ id: 'm1' })).toBe(false);
});

test('a new event with the id of one that is being erased stays', async () => {
  const { eventLog, store, clock } = await stored();
  const earlier = (now: number) => newEvent('m1', 'track', ['a'], now);
  expect(await eventLog.erase(earlier(clock.now() - 1))).toBeUndefined();
  expect(await eventLog.erase({ ...earlier(clock.now()), epoch: 1 })).toBeUndefined();
  expect(await store.event('m1')).toBeDefined();
});

test.each(['any', 'each'] as const)(
  'deliveries behind a failed event of a deleted user are sent to neither of two URLs, with settle: %s',
  async (settle) => {
    const { clock, hooks, destination, deliver, remove } = await open(503, { webhooks: 2, settle, ordered: 'user' });
    for (const id of ['m1', 'm2', 'm3']) await deliver(id);
    for (const hook of hooks) await hook.has(1);
    await settled();
    remove('ann');
    for (let retries = 0; retries < 4; retries++) {
      await clock.pass(RETRY_MS * 2);
      await settled();
    }
    await expect.poll(() => destination.waiting).toBe(0);
    expect(hooks.map(({ received }) => received.length)).toEqual([1, 1]);
    expect(destination.counters()).toMatchObject({ accepted: 3, delivered: 0, dead: 0 });
    await destination.close({ timeout: 0 });
  },
);

test('an event that a delivery to another URL has removed is not sent', async () => {
  const { deletedUsers, remove } = deletions();
  const store = new MemoryStore();
  const eventLog = new EventLog({ store, settle: 'each', retryForMs: MINUTE_MS, random: () => 0.5 } as never);
  const erasure = new Erasure({ store, eventLog, deletedUsers, onErased: () => {} });
  expect(await erasure.erase({ id: 'gone', epoch: 0 })).toBe(false);
  remove('ann');
  expect(await erasure.erase({ id: 'gone', epoch: 0 })).toBe(true);
});
