import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/base/time/clock.js';
import { newEvent } from '../../src/delivery/completion-rule.js';
import type { Deliverable } from '../../src/delivery/deliverable.js';
import { userKey } from '../../src/delivery/event-names.js';
import { Destination } from '../../src/destination/destination.js';
import type { EventStore } from '../../src/store/event-store.js';
import type { Intake } from '../../src/store/storage.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { seal } from '../store/seal.js';
import { RedisCluster } from './redis-cluster.js';
import { openDestination, openStorage } from './storage.js';

const URL_A = 'https://a.example/';
const USERS = Array.from({ length: 40 }, (_, index) => `user${index}`);

let cluster: RedisCluster;

beforeAll(async () => {
  cluster = await RedisCluster.start();
});

afterAll(() => cluster.remove());

const userOf = (userId: string): string => userKey({ userId }) ?? '';

function intakeOf(id: string, userId: string, stores: readonly EventStore[]): Intake {
  const user = userOf(userId);
  const event = newEvent(id, 'track', [URL_A], 1_000, { source: 'web', bytes: 2, user });
  return { id, user, body: Buffer.from('{}'), deliveries: stores.map((store) => ({ store, event })) };
}

const message = (messageId: string, userId: string): Deliverable => ({
  ...{ type: 'track', messageId, userId, timestamp: '2026-11-20T12:00:00.000Z', event: 'Step Taken' },
});

test('the messages of a user are all in one partition of a cluster, and those of many users in many', async () => {
  const storage = await openStorage(cluster);
  const store = await storage.deliveries('crm');
  const ids = USERS.flatMap((user) => [1, 2, 3].map((each) => `${user}-${each}`));
  const intakes = ids.map((id) => intakeOf(id, id.split('-')[0] ?? '', [store]));
  expect(await storage.takeIn('web', intakes)).toEqual(ids.map((id) => [id]));
  const partitions = new Map<string, Set<unknown>>();
  for (const { id, partition } of await store.waiting(URL_A, 'first', undefined, 1_000)) {
    const user = id.split('-')[0] ?? '';
    partitions.set(user, (partitions.get(user) ?? new Set()).add(partition));
    expect(await store.event(id, partition)).toMatchObject({ id, user: userOf(user) });
  }
  expect([...partitions.values()].map(({ size }) => size)).toEqual(USERS.map(() => 1));
  expect(new Set([...partitions.values()].flatMap((each) => [...each])).size).toBeGreaterThan(8);
});

test('every process of a cluster recognises a repeated message, with or without a destination', async () => {
  const prefix = randomUUID();
  const [one, other] = [await openStorage(cluster, prefix), await openStorage(cluster, prefix)];
  const crm = await one.deliveries('crm');
  const nowhere = USERS.map((user) => intakeOf(`${user}-0`, user, []));
  const somewhere = USERS.map((user) => intakeOf(`${user}-1`, user, [crm]));
  await one.takeIn('web', [...nowhere, ...somewhere]);
  const sameCrm = await other.deliveries('crm');
  const again = USERS.flatMap((user) => [
    intakeOf(`${user}-0`, user, [sameCrm]),
    intakeOf(`${user}-1`, user, [sameCrm]),
  ]);
  expect(await other.takeIn('web', again)).toEqual(again.map(() => 'known'));
  expect((await crm.backlog()).map(({ first }) => first)).toEqual([USERS.length]);
});

test('an id used by users of several partitions is delivered once for each, and nothing is left in the store', async () => {
  const endpoint = await startEndpoint(200);
  const destination = await openDestination(cluster, randomUUID(), {
    ...{ webhooks: [{ url: endpoint.url }], ordered: 'user' },
  });
  const statuses = await Promise.all(
    USERS.map(async (user) => (await destination.deliver(message('order-1', user))).status),
  );
  const accepted = statuses.filter((status) => status === 'accepted').length;
  expect(accepted).toBeGreaterThan(8);
  await destination.idle();
  expect(endpoint.received).toHaveLength(accepted);
  expect(destination.counters()).toMatchObject({ accepted, delivered: accepted });
  expect(await destination.explain('order-1')).toBeUndefined();
});

test('dead letters on a cluster can be explained, replayed and discarded by message id and by user', async () => {
  const endpoint = await startEndpoint((_, response) => {
    response.writeHead(endpoint.received.length <= USERS.length ? 404 : 200).end();
  });
  const destination = await openDestination(cluster, randomUUID(), { webhooks: [{ url: endpoint.url }] });
  for (const user of USERS) await destination.deliver(message(`${user}-1`, user));
  await destination.idle();
  expect(destination.counters().dead).toBe(USERS.length);
  expect(await destination.explain('user7-1')).toMatchObject({ id: 'user7-1', endpoints: [{ phase: 'dead' }] });
  expect(await destination.replay({ id: 'user7-1' })).toBe(1);
  expect(await destination.replay({ user: 'user8' })).toBe(1);
  await destination.idle();
  expect(await destination.discard({ id: 'user9-1' })).toBe(1);
  const left: string[] = [];
  for await (const { id } of destination.deadLetters()) left.push(id);
  expect(left.toSorted()).toEqual(
    USERS.filter((_, index) => index < 7 || index > 9)
      .map((user) => `${user}-1`)
      .toSorted(),
  );
});

test('waiting deliveries of deleted users on a cluster are not sent and count as erased', async () => {
  const endpoint = await startEndpoint(503, 503, 200);
  const deleted = new Map<string, number>();
  const store = await (await openStorage(cluster)).deliveries('orders');
  const destination = await Destination.openIn(
    { webhooks: [{ url: endpoint.url }], allowLoopback: true, ordered: 'user', concurrency: 1, store: seal(store) },
    {
      ...{ clock: systemClock(), random: () => 0 },
      deletedUsers: {
        latest: 0,
        epoch: async () => deleted.size,
        deletedIn: async (user) => deleted.get(user),
      },
    },
  );
  onTestFinished(() => destination.close({ timeout: 0 }));
  for (const id of ['ann-1', 'ann-2', 'bob-1', 'bob-2']) await destination.deliver(message(id, id.slice(0, 3)));
  await endpoint.has(2);
  deleted.set(userOf('ann'), 1);
  await destination.idle();
  const sent = endpoint.received.map(({ body }) => JSON.parse(body.toString()).messageId);
  expect(sent.slice(0, 2).toSorted()).toEqual(['ann-1', 'bob-1']);
  expect(sent.slice(2)).toEqual(['bob-1', 'bob-2']);
  expect(destination.counters()).toMatchObject({ accepted: 4, delivered: 2, erased: 2 });
});
