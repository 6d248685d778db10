import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newEvent, type StoredEvent } from '../../src/delivery/completion-rule.js';
import type { Retrying } from '../../src/delivery/state.js';
import type { Destination } from '../../src/destination/destination.js';
import { track } from '../destination/track.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { RedisServer } from './redis-server.js';
import { openDestination, openStore } from './storage.js';

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

/** As a process leaves it that dies before it has told anybody of it. */
async function leaveBehind(prefix: string, url: string, ids: readonly string[], state?: Partial<Retrying>) {
  const store = await openStore(server, prefix);
  const body = new TextEncoder().encode('{"messageId":"m1"}');
  const now = Date.now();
  const retrying = { phase: 'retrying', due: now, firstAttemptAt: now, attempts: 1, history: [], ...state } as const;
  const left = (id: string): StoredEvent => {
    const event = newEvent(id, 'track', [url], now);
    return state === undefined ? event : { ...event, urls: { [url]: retrying } };
  };
  await Promise.all(ids.map((id) => store.add(left(id), body)));
}

test('first attempts of which no process was told, or the notice was lost, go out before long', async () => {
  const endpoint = await startEndpoint(200);
  const prefix = randomUUID();
  const destination = await open(prefix, { webhooks: [{ url: endpoint.url }] });
  await leaveBehind(prefix, endpoint.url, range(1_200));
  await endpoint.has(1_200);
  await destination.idle();
  expect(endpoint.received.length).toBe(1_200);
});

test('first attempts need no job', async () => {
  const endpoint = await startEndpoint(200);
  const prefix = randomUUID();
  const destination = await open(prefix, { webhooks: [{ url: endpoint.url }] });
  await deliver(destination, range(20));
  await destination.idle();
  const traces = await server.look((redis) => redis.keys(`{${prefix}:orders}:jobs:*:events`));
  expect(traces).toEqual([]);
});

describe('a retry without a job', () => {
  test('is given one before long', async () => {
    const endpoint = await startEndpoint(200);
    const prefix = randomUUID();
    const destination = await open(prefix, { webhooks: [{ url: endpoint.url }] });
    await leaveBehind(prefix, endpoint.url, range(1_200), {});
    await endpoint.has(1_200);
    await destination.idle();
    expect(endpoint.received.length).toBe(1_200);
  });

  test('is found when Redis lost every job it had', async () => {
    const endpoint = await startEndpoint(200);
    const prefix = randomUUID();
    const settings = { webhooks: [{ url: endpoint.url }] };
    await leaveBehind(prefix, endpoint.url, range(20), {});
    await server.look(async (redis) => {
      const jobs = await redis.keys(`{${prefix}:orders}:jobs:*`);
      if (jobs.length > 0) await redis.del(...jobs);
    });
    await (await open(prefix, settings)).idle();
    expect(endpoint.received.length).toBe(20);
  });
});
