import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newEvent } from '../../src/delivery/completion-rule.js';
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

describe('a retry whose job sleeps too long', () => {
  const DAY_MS = 24 * 60 * 60_000;

  /** As it is found where one attempt was made, the next is due at `dueAt`, and its job comes up at `jobAt`. */
  const leaveRetry = async (prefix: string, url: string, dueAt: number, jobAt: number): Promise<void> => {
    const store = await openStore(server, prefix);
    const retrying = {
      phase: 'retrying',
      due: dueAt,
      firstAttemptAt: dueAt - 5_000,
      attempts: 1,
      history: [],
    } as const;
    const event = { ...newEvent('m1', 'track', [url], dueAt - 5_000), urls: { [url]: retrying } };
    await store.add(event, new TextEncoder().encode('{"messageId":"m1"}'));
    await store.jobs(url).add([{ at: jobAt, id: 'm1' }]);
  };

  test('because the clock was set back before a restart is made at once', async () => {
    const endpoint = await startEndpoint(200);
    const prefix = randomUUID();
    const inTwoDays = Date.now() + 2 * DAY_MS;
    await leaveRetry(prefix, endpoint.url, inTwoDays, inTwoDays);
    await (await open(prefix, { webhooks: [{ url: endpoint.url }] })).idle();
    expect(endpoint.received.length).toBe(1);
  });

  test('because the clock was set back since, or it was left by another event, is made when it is due', async () => {
    const endpoint = await startEndpoint(200);
    const prefix = randomUUID();
    await leaveRetry(prefix, endpoint.url, Date.now(), Date.now() + DAY_MS);
    await (await open(prefix, { webhooks: [{ url: endpoint.url }] })).idle();
    expect(endpoint.received.length).toBe(1);
  });
});

test('a job of a retry lies in Redis as one list, which takes half the memory', async () => {
  const store = await openStore(server);
  const jobs = store.jobs('https://a.example/');
  // As many digits as a pause between two retries of the usual window has.
  await jobs.add([{ at: Date.now() + 9_000_000, id: randomUUID() }]);
  const [job] = await jobs.queue.getDelayed();
  const encoding = await server.look((redis) => redis.object('ENCODING', jobs.queue.toKey(job?.id ?? '')));
  // Redis before 7 calls it so.
  expect(['listpack', 'ziplist']).toContain(encoding);
});

test('a job that has ended leaves nothing in Redis', async () => {
  const endpoint = await startEndpoint(503, 200);
  const prefix = randomUUID();
  const destination = await open(prefix, { webhooks: [{ url: endpoint.url }] });
  await destination.deliver({ type: 'track', messageId: 'm1', event: 'Seen', userId: 'u1', timestamp: new Date() });
  await destination.idle();
  const { queue } = (await openStore(server, prefix)).jobs(endpoint.url);
  // BullMQ ends a job after its delivery.
  const states = ['completed', 'failed', 'wait', 'active', 'delayed'] as const;
  await expect.poll(() => queue.getJobCounts(...states)).toEqual(Object.fromEntries(states.map((state) => [state, 0])));
});
