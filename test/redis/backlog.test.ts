import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Destination } from '../../src/destination/destination.js';
import type { BacklogLimit } from '../../src/destination/settings/destination-settings.js';
import { track } from '../destination/track.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { seal } from '../store/seal.js';
import { RedisServer } from './redis-server.js';
import { openStorage } from './storage.js';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

async function open(url: string, maxBacklog?: BacklogLimit) {
  const store = await (await openStorage(server)).deliveries('orders');
  const settings = {
    webhooks: [{ url }],
    allowLoopback: true,
    concurrency: 1,
    requestTimeout: 60_000,
    maxBacklog,
    store: seal(store),
  };
  const destination = await Destination.open(settings);
  onTestFinished(() => destination.close({ timeout: 0 }));
  return { destination, store };
}

describe('the backlog on Redis', () => {
  test.each([
    ['events', { events: 4 }, 6],
    ['bytes', { bytes: 4 * 181 }, 6],
    ['age', { age: 1_000 }, 9],
  ])(
    'deliveries beyond the maximum %s become dead letters, oldest first, and the running request is not stopped',
    async (_, maxBacklog, count) => {
      const endpoint = await startEndpoint(() => {});
      const { destination, store } = await open(endpoint.url, maxBacklog);
      for (let index = 0; index < 10; index++) await destination.deliver(track(`m${index}`));
      const size = (await store.body('m9'))?.length;
      expect(size).toBe(181);
      await expect.poll(async () => (await store.deadTotals()).events, { timeout: 10_000 }).toBe(count);
      const { deliveries } = await store.deadTotals();
      expect(deliveries).toMatchObject([{ type: 'track', reason: 'backlog-full', count }]);
      expect((await store.dead(undefined, 1))[0]?.id).toBe('m1');
      expect(destination.counters()).toMatchObject({ dead: count, backlogFull: count });
    },
  );

  test('a delivery is sent once, and recorded once Redis accepts writes again', async () => {
    const redis = new Redis(server.url);
    onTestFinished(() => redis.disconnect());
    onTestFinished(async () => void (await redis.config('SET', 'min-replicas-to-write', 0)));
    let answer = (): void => {};
    const endpoint = await startEndpoint((_, response) => {
      answer = () => response.end();
    }, 200);
    const { destination } = await open(endpoint.url);
    const errors: string[] = [];
    destination.on('error', ({ error }) => errors.push(String(error)));
    for (const id of ['m0', 'm1']) await destination.deliver(track(id));
    await endpoint.has(1);
    await redis.config('SET', 'min-replicas-to-write', 1);
    answer();
    await expect.poll(() => errors.filter((error) => error.includes('could not write')).length).toBeGreaterThan(1);
    expect(endpoint.received).toHaveLength(1);
    await redis.config('SET', 'min-replicas-to-write', 0);
    await destination.idle();
    expect(endpoint.received).toHaveLength(2);
    expect(destination.counters()).toMatchObject({ attempts: 2, delivered: 2 });
  });
});
