import { randomUUID } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import type { Deliverable } from '../../src/delivery/deliverable.js';
import { prepareEvent } from '../../src/destination/intake/prepared-event.js';
import { MemoryStore } from '../../src/store/memory/memory-store.js';
import type { Storage } from '../../src/store/storage.js';
import { newFolder } from '../cli/files.js';
import { type Received, startEndpoint } from '../scheduler/test-endpoint.js';
import { openLmdbStore } from '../store/lmdb/open.js';
import { lmdbUnderTest, memoryUnderTest } from '../store/storage-under-test.js';
import { openDestination, takeIn } from './open.js';

// Requests one at a time take long on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const TIME = '2026-11-20T12:00:00.000Z';

const identify = (userId: string, plan: string): Deliverable => ({
  type: 'identify',
  messageId: randomUUID(),
  timestamp: TIME,
  userId,
  traits: { plan },
});

const row = (index: number): Deliverable => ({
  type: 'track',
  messageId: randomUUID(),
  timestamp: TIME,
  userId: 'u1',
  event: 'Row Imported',
  properties: { index },
});

const bodiesOf = (received: readonly Received[]) => received.map(({ body }) => JSON.parse(body.toString()));

const open = async (storage: Storage, url: string, concurrency: number) => {
  const store = await storage.deliveries('crm');
  return { store, ...(await openDestination({ webhooks: [{ url }], concurrency, store })) };
};

describe.each([memoryUnderTest, lmdbUnderTest])('first attempts from $name', ({ setUp }) => {
  test('each of 200 users who got two plans in one flush ends with the later one', async () => {
    const endpoint = await startEndpoint(200);
    const storage = await (await setUp())();
    const opened = await open(storage, endpoint.url, 1);
    const users = Array.from({ length: 200 }, (_, index) => `u${index}`);
    const messages = users.flatMap((user) => [identify(user, 'free'), identify(user, 'pro')]);
    await takeIn(storage, opened, messages.map(prepareEvent));
    await endpoint.has(400);
    const last = new Map(bodiesOf(endpoint.received).map(({ userId, traits }) => [userId, traits.plan]));
    expect([...last.values()].filter((plan) => plan !== 'pro')).toEqual([]);
  });

  test('rows accepted one after another arrive in order at a concurrency of 1', async () => {
    const endpoint = await startEndpoint(200);
    const opened = await open(await (await setUp())(), endpoint.url, 1);
    const rows = Array.from({ length: 500 }, (_, index) => row(index));
    await Promise.all(rows.map((each) => opened.destination.deliver(each)));
    await endpoint.has(500);
    expect(bodiesOf(endpoint.received).map(({ properties }) => properties.index)).toEqual(
      rows.map((_, index) => index),
    );
  });
});

test.each([
  ['memory', async () => new MemoryStore()],
  ['lmdb', async () => openLmdbStore({ path: await newFolder(), lock: 'alone' })],
])('dead letters replayed from %s are sent after what already waits', async (_, openStore) => {
  const endpoint = await startEndpoint(
    404,
    404,
    (_request, response) => void setTimeout(() => response.end(), 20),
    200,
  );
  const store = await openStore();
  const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }], concurrency: 1, store });
  for (const index of [0, 1]) await destination.deliver(row(index));
  await expect.poll(() => destination.counters().dead).toBe(2);
  for (const index of [2, 3, 4]) await destination.deliver(row(index));
  expect(await destination.replay({})).toBe(2);
  await destination.deliver(row(5));
  await endpoint.has(8);
  const arrived = bodiesOf(endpoint.received).map(({ properties }) => properties.index);
  expect(arrived.slice(0, 5)).toEqual([0, 1, 2, 3, 4]);
  expect(arrived.slice(5, 7).toSorted()).toEqual([0, 1]);
  expect(arrived[7]).toBe(5);
});
