import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Deliverable } from '../../src/delivery/deliverable.js';
import { startEndpoint, type TestEndpoint } from '../scheduler/test-endpoint.js';
import { RedisCluster } from './redis-cluster.js';
import { RedisServer } from './redis-server.js';
import { openDestination } from './storage.js';

const message = (userId: string, index: number): Deliverable => ({
  type: 'track',
  messageId: `${userId}-${index}`,
  timestamp: '2026-11-20T12:00:00.000Z',
  userId,
  event: 'Step Taken',
  properties: { index },
});

const arrivedIn = ({ received }: TestEndpoint): string[] =>
  received.map(({ body }) => JSON.parse(body.toString()).messageId);

const ofUser = (ids: readonly string[], user: string): string[] => ids.filter((id) => id.startsWith(`${user}-`));

describe.each([
  ['a Redis server', RedisServer],
  ['a Redis Cluster', RedisCluster],
])('on %s', (_, { start }) => {
  let server: RedisServer | RedisCluster;

  beforeAll(async () => {
    server = await start();
  });

  afterAll(() => server.remove());

  test("several processes deliver each user's messages one after another, and different users at the same time", async () => {
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
    const prefix = randomUUID();
    const options = { webhooks: [{ url: endpoint.url }], ordered: 'user' } as const;
    const processes = await Promise.all([1, 2, 3].map(() => openDestination(server, prefix, options)));
    const users = Array.from({ length: 10 }, (_, index) => `user${index}`);
    for (let index = 0; index < 30; index++) {
      await Promise.all(users.map((user, at) => processes[(index + at) % 3]?.deliver(message(user, index))));
    }
    await endpoint.has(300);
    await expect.poll(() => processes[0]?.endpoints()[0]?.waiting).toBe(0);
    const arrived = arrivedIn(endpoint);
    for (const user of users)
      expect(ofUser(arrived, user)).toEqual(Array.from({ length: 30 }, (_, index) => `${user}-${index}`));
    expect(most).toBeGreaterThan(1);
  });

  test("a user's next message waits for the retry of the previous one in any process, while other users go on", async () => {
    let fails = 1;
    const endpoint = await startEndpoint((_request, response) => {
      const { messageId } = JSON.parse(endpoint.received.at(-1)?.body.toString() ?? '{}');
      const isRefused = messageId === 'ann-0' && fails-- > 0;
      response.writeHead(isRefused ? 503 : 200, isRefused ? { 'retry-after': '1' } : {}).end();
    });
    const prefix = randomUUID();
    const options = { webhooks: [{ url: endpoint.url }], ordered: 'user' } as const;
    const [one, other] = [
      await openDestination(server, prefix, options),
      await openDestination(server, prefix, options),
    ];
    await one.deliver(message('ann', 0));
    await other.deliver(message('ann', 1));
    await one.deliver(message('ann', 2));
    await one.deliver(message('bob', 0));
    await endpoint.has(2);
    expect(arrivedIn(endpoint).toSorted()).toEqual(['ann-0', 'bob-0']);
    expect((await one.explain('ann-1'))?.endpoints[0]).toMatchObject({
      phase: 'pending',
      why: 'an earlier message of its user has not ended yet',
    });
    await endpoint.has(5);
    expect(ofUser(arrivedIn(endpoint), 'ann')).toEqual(['ann-0', 'ann-0', 'ann-1', 'ann-2']);
  });

  test("a user's next message is sent when the previous one is dead, and a replayed one after all that wait", async () => {
    const endpoint = await startEndpoint(404, 200);
    const destination = await openDestination(server, randomUUID(), {
      ...{ webhooks: [{ url: endpoint.url }], ordered: 'user' },
    });
    for (const index of [0, 1]) await destination.deliver(message('ann', index));
    await destination.idle();
    expect(destination.counters()).toMatchObject({ dead: 1, delivered: 1 });
    expect(await destination.replay({})).toBe(1);
    await destination.idle();
    expect(arrivedIn(endpoint)).toEqual(['ann-0', 'ann-1', 'ann-0']);
  });

  test('a limit of the backlog on Redis also counts deliveries behind others', async () => {
    const endpoint = await startEndpoint(() => {});
    const destination = await openDestination(server, randomUUID(), {
      ...{ webhooks: [{ url: endpoint.url }], ordered: 'user', maxBacklog: { events: 5 } },
    });
    for (let index = 0; index < 20; index++) await destination.deliver(message('ann', index));
    await expect.poll(() => destination.endpoints()[0]?.waiting).toBe(5);
    expect(destination.counters().dead).toBe(15);
  });
});
