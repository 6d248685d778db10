import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newEvent } from '../../src/delivery/completion-rule.js';
import type { Destination } from '../../src/destination/destination.js';
import { track } from '../destination/track.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { RedisServer } from './redis-server.js';
import { openDestination, openStorage, QUICK } from './storage.js';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

const open = (prefix: string, options: Parameters<typeof openDestination>[2]) =>
  openDestination(server, prefix, options);

const deliver = (destination: Destination, ids: readonly string[]) =>
  Promise.all(ids.map((id) => destination.deliver(track(id))));

const range = (count: number): string[] => Array.from({ length: count }, (_, index) => `m${index}`);

describe('a delivery without a job', () => {
  /** As a process leaves it that dies between storing an event and adding its job. */
  const leaveBehind = async (prefix: string, url: string, ids: readonly string[]): Promise<void> => {
    const store = await (await openStorage(server, prefix)).deliveries('orders');
    const body = new TextEncoder().encode('{"messageId":"m1"}');
    await Promise.all(ids.map((id) => store.add(newEvent(id, 'track', [url], Date.now()), body)));
  };

  test('is given one before long', async () => {
    const endpoint = await startEndpoint(200);
    const prefix = randomUUID();
    const destination = await open(prefix, { webhooks: [{ url: endpoint.url }] });
    await leaveBehind(prefix, endpoint.url, range(1_200));
    await endpoint.has(1_200);
    await destination.idle();
    expect(endpoint.received.length).toBe(1_200);
  });

  test('is given one when the event is given again', async () => {
    const endpoint = await startEndpoint(200);
    const prefix = randomUUID();
    const intervals = { ...QUICK, sweepMs: 3_600_000 };
    const destination = await open(prefix, { webhooks: [{ url: endpoint.url }], intervals });
    // By then the first sweep is over.
    await deliver(destination, ['other']);
    await destination.idle();
    await leaveBehind(prefix, endpoint.url, ['m1']);
    expect(await destination.deliver(track('m1'))).toEqual({ id: 'm1', status: 'duplicate' });
    await endpoint.has(2);
  });

  test('is found when Redis lost every job it had', async () => {
    const endpoint = await startEndpoint(200);
    const prefix = randomUUID();
    const settings = { webhooks: [{ url: endpoint.url }] };
    await leaveBehind(prefix, endpoint.url, range(20));
    await server.look(async (redis) => {
      const jobs = await redis.keys(`{${prefix}:orders}:jobs:*`);
      if (jobs.length > 0) await redis.del(...jobs);
    });
    await (await open(prefix, settings)).idle();
    expect(endpoint.received.length).toBe(20);
  });
});
