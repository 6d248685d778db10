import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Destination } from '../../src/destination/destination.js';
import { track } from '../destination/track.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { seal } from '../store/seal.js';
import type { RedisServer } from './redis-server.js';
import { openStorage, startRedis } from './storage.js';

async function open(server: RedisServer, url: string, prefix: string = randomUUID()) {
  const storage = await openStorage(server, prefix);
  const store = await storage.deliveries('orders');
  const destination = await Destination.open({
    webhooks: [{ url }],
    allowLoopback: true,
    requestTimeout: 30_000,
    store: seal(store),
  });
  const errors: unknown[] = [];
  destination.on('error', ({ error }) => errors.push(error));
  onTestFinished(() => destination.close({ timeout: 0 }));
  return { storage, store, destination, errors };
}

/** Longer than any lock, lease or retry delay that Redis stores for us. */
const AWAY_MS = 60_000;

const failed = { code: 'EVENTFERRY_STORE_REDIS_FAILED' };

describe('while Redis is gone', () => {
  test('calls fail while Redis is gone, and succeed when it is back', async () => {
    const server = await startRedis();
    const endpoint = await startEndpoint(200);
    const { storage, store, destination } = await open(server, endpoint.url);
    await server.kill();
    const { keyValues } = storage;
    const answers = await Promise.allSettled([
      destination.deliver(track('m1')),
      store.event('m1'),
      storage.takeIn('web', [{ id: 'm1', body: Buffer.of(), deliveries: [] }]),
      keyValues.get(['a/1']),
      keyValues.write([{ key: 'a/1', value: 'x' }]),
      storage.size(),
      storage.check(),
    ]);
    expect(answers).toEqual(answers.map(() => ({ status: 'rejected', reason: expect.objectContaining(failed) })));

    await server.start();
    const again = async (): Promise<string> => (await destination.deliver(track('m2'))).status;
    await expect.poll(() => again().catch(() => 'failed')).toMatch(/accepted|duplicate/);
    await destination.idle();
    expect(endpoint.received.length).toBeGreaterThan(0);
    await storage.check();
  });

  test('a message that was stored without an answer is a duplicate when it is sent again, and is delivered once', async () => {
    const server = await startRedis();
    const endpoint = await startEndpoint(200);
    const { destination } = await open(server, endpoint.url);
    // This makes the script known to Redis.
    await destination.deliver(track('m1'));
    await destination.idle();
    // Redis executes the command, but later than anyone waits for it.
    server.freeze();
    await expect(destination.deliver(track('m2'))).rejects.toMatchObject(failed);
    server.thaw();
    const again = async (): Promise<string> => (await destination.deliver(track('m2'))).status;
    await expect.poll(() => again().catch(() => 'failed')).toBe('duplicate');
    await endpoint.has(2);
    await destination.idle();
    expect(endpoint.received.length).toBe(2);
  });

  test('accepted events wait while Redis is gone, and are delivered when it is back', async () => {
    const server = await startRedis();
    let isDown = true;
    const endpoint = await startEndpoint((_, response) => void response.writeHead(isDown ? 503 : 200).end());
    const { destination } = await open(server, endpoint.url);
    for (let index = 0; index < 5; index++) await destination.deliver(track(`m${index}`));
    await endpoint.has(5);
    await server.kill();
    isDown = false;
    await delay(AWAY_MS);
    await server.start();
    await destination.idle();
    expect(destination.counters()).toMatchObject({ delivered: 5, dead: 0 });
  });

  test('a destination and its storage can be closed while Redis is gone', async () => {
    const server = await startRedis();
    const endpoint = await startEndpoint(() => undefined);
    const { destination, storage } = await open(server, endpoint.url);
    await destination.deliver(track('m1'));
    await endpoint.has(1);
    await server.kill();
    await destination.close({ timeout: 0 });
    await storage.close();
  });
});

test('when Redis is killed and restarted under load, every accepted event arrives', async () => {
  const server = await startRedis();
  const endpoint = await startEndpoint(200);
  const prefix = randomUUID();
  const both = await Promise.all([open(server, endpoint.url, prefix), open(server, endpoint.url, prefix)]);
  const accepted = new Set<string>();
  const take = async (id: string): Promise<void> => {
    const { destination } = both[accepted.size % 2] ?? both[0];
    const receipt = await destination.deliver(track(id)).catch(() => undefined);
    if (receipt !== undefined) accepted.add(id);
  };
  const load = (round: string) => Promise.all(Array.from({ length: 300 }, (_, index) => take(`${round}-${index}`)));
  for (const round of ['a', 'b', 'c']) {
    const loaded = load(round);
    await endpoint.has(endpoint.received.length + 50);
    await server.kill();
    await server.start();
    await loaded;
  }
  await load('d');
  await Promise.all(both.map(({ destination }) => destination.idle()));
  const arrived = new Set(
    endpoint.received.map(({ body }) => (JSON.parse(body.toString()) as { messageId: string }).messageId),
  );
  expect(accepted.size).toBeGreaterThan(300);
  expect([...accepted].filter((id) => !arrived.has(id))).toEqual([]);
  const { store } = both[0];
  expect(await store.dead(undefined, 10)).toEqual([]);
  expect(await store.backlog()).toEqual([]);
});
