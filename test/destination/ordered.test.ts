import { describe, expect, test } from 'vitest';
import type { Deliverable } from '../../src/delivery/deliverable.js';
import { Destination } from '../../src/destination/destination.js';
import { MemoryStore } from '../../src/store/memory/memory-store.js';
import { newFolder } from '../cli/files.js';
import { type Received, startEndpoint } from '../scheduler/test-endpoint.js';
import { openLmdbStore } from '../store/lmdb/open.js';
import { seal } from '../store/seal.js';
import { FakeClock } from '../support/fake-clock.js';
import { openDestination } from './open.js';

const message = (userId: string | null, index: number): Deliverable =>
  ({
    type: 'track',
    messageId: `${userId}-${index}`,
    timestamp: '2026-11-20T12:00:00.000Z',
    userId,
    anonymousId: userId === null ? undefined : 'anybody',
    event: 'Step Taken',
    properties: { index },
  }) as Deliverable;

const idsOf = (received: readonly Received[]): string[] =>
  received.map(({ body }) => JSON.parse(body.toString()).messageId);

const ofUser = (ids: readonly string[], user: string): string[] => ids.filter((id) => id.startsWith(`${user}-`));

describe.each([
  ['memory', async () => new MemoryStore()],
  ['lmdb', async () => openLmdbStore({ path: await newFolder(), lock: 'alone' })],
])('a destination that is ordered by user, on %s', (_, openStore) => {
  test('messages of each user arrive one after another at any concurrency, and those of different users at the same time', async () => {
    const open = new Map<string, number>();
    let most = 0;
    const endpoint = await startEndpoint((_request, response) => {
      const { userId } = JSON.parse(endpoint.received.at(-1)?.body.toString() ?? '{}');
      open.set(userId, (open.get(userId) ?? 0) + 1);
      most = Math.max(most, open.size);
      if ((open.get(userId) ?? 0) > 1) throw new Error('two at once');
      setTimeout(() => {
        open.delete(userId);
        response.end();
      }, 2);
    });
    const { destination } = await openDestination({
      ...{ webhooks: [{ url: endpoint.url }], ordered: 'user', store: await openStore() },
    });
    const users = ['ann', 'bob', 'cat', 'dan'];
    const messages = Array.from({ length: 25 }, (__, index) => users.map((user) => message(user, index))).flat();
    await Promise.all(messages.map((each) => destination.deliver(each)));
    await destination.idle();
    const arrived = idsOf(endpoint.received);
    for (const user of users)
      expect(ofUser(arrived, user)).toEqual(
        messages.map((each) => String(each.messageId)).filter((id) => id.startsWith(`${user}-`)),
      );
    expect(most).toBeGreaterThan(1);
    expect(destination.counters()).toMatchObject({ accepted: 100, delivered: 100 });
  });

  test('the next message of a user waits for the retry of the one before, while other users continue', async () => {
    const clock = new FakeClock();
    let fails = true;
    const endpoint = await startEndpoint((_request, response) => {
      const { messageId } = JSON.parse(endpoint.received.at(-1)?.body.toString() ?? '{}');
      response.writeHead(messageId === 'ann-0' && fails ? 503 : 200).end();
    });
    const { destination } = await openDestination(
      { webhooks: [{ url: endpoint.url }], ordered: 'user', store: await openStore() },
      { clock },
    );
    for (const each of [message('ann', 0), message('ann', 1), message('bob', 0), message(null, 0)])
      await destination.deliver(each);
    await expect.poll(() => destination.counters().delivered).toBe(2);
    expect(idsOf(endpoint.received).toSorted()).toEqual(['ann-0', 'bob-0', 'null-0']);
    expect((await destination.explain('ann-1'))?.endpoints[0]).toMatchObject({
      phase: 'pending',
      nextAttemptAt: undefined,
      why: 'an earlier message of its user has not ended yet',
    });
    fails = false;
    await clock.pass(6_000);
    await expect.poll(() => destination.counters().delivered).toBe(4);
    expect(ofUser(idsOf(endpoint.received), 'ann')).toEqual(['ann-0', 'ann-0', 'ann-1']);
  });

  test('the next message of a user is sent once the one before is dead', async () => {
    const endpoint = await startEndpoint(404, 200);
    const { destination } = await openDestination({
      ...{ webhooks: [{ url: endpoint.url }], ordered: 'user', store: await openStore() },
    });
    for (const index of [0, 1]) await destination.deliver(message('ann', index));
    await destination.idle();
    expect(destination.counters()).toMatchObject({ dead: 1, delivered: 1 });
    expect(await destination.replay({})).toBe(1);
    await destination.idle();
    expect(idsOf(endpoint.received)).toEqual(['ann-0', 'ann-1', 'ann-0']);
  });

  test('a limit of the backlog also counts deliveries that wait behind others', async () => {
    const endpoint = await startEndpoint(() => {});
    const { destination } = await openDestination({
      ...{ webhooks: [{ url: endpoint.url }], ordered: 'user', maxBacklog: { events: 5 }, store: await openStore() },
    });
    for (let index = 0; index < 20; index++) await destination.deliver(message('ann', index));
    await expect.poll(() => destination.endpoints()[0]?.waiting).toBe(5);
    expect(destination.counters().dead).toBe(15);
  });
});

test.each([
  ['ordered to unordered', 'user', undefined],
  ['unordered to ordered', undefined, 'user'],
] as const)('everything arrives when a closed destination is changed from %s', async (_, before, after) => {
  const path = await newFolder();
  const away = await startEndpoint(() => {});
  const endpoint = await startEndpoint(200);
  let url = away.url;
  const open = async (ordered: 'user' | undefined) => {
    const store = await openLmdbStore({ path, lock: 'alone' });
    return Destination.open({ webhooks: [{ id: 'w', url }], allowLoopback: true, ordered, store: seal(store) });
  };
  const first = await open(before);
  for (let index = 0; index < 5; index++) await first.deliver(message('ann', index));
  await first.close({ timeout: 1 });
  url = endpoint.url;
  const second = await open(after);
  for (let index = 5; index < 10; index++) await second.deliver(message('ann', index));
  await second.idle();
  await second.close();
  expect(new Set(idsOf(endpoint.received)).size).toBe(10);
});
