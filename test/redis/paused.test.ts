import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/base/time/clock.js';
import { Destination } from '../../src/destination/destination.js';
import { track } from '../destination/track.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { seal } from '../store/seal.js';
import { RedisServer } from './redis-server.js';
import { openStorage, QUICK } from './storage.js';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

async function openPaused(url: string, settings: { prefix?: string; retryFor?: number } = {}): Promise<Destination> {
  const { prefix = randomUUID(), retryFor } = settings;
  const storage = await openStorage(server, prefix, { intervals: QUICK });
  const store = seal(await storage.deliveries('orders'));
  const options = { webhooks: [{ url }], allowLoopback: true, store, retryFor };
  const dependencies = { clock: systemClock(), random: Math.random, isPaused: () => true };
  const destination = await Destination.openIn(options, dependencies);
  onTestFinished(() => destination.close({ timeout: 0 }));
  return destination;
}

test('a destination on Redis that is opened paused sends once it is resumed, and stops when it is paused again', async () => {
  const endpoint = await startEndpoint(200);
  const prefix = randomUUID();
  const both = [await openPaused(endpoint.url, { prefix }), await openPaused(endpoint.url, { prefix })];
  await Promise.all(['m1', 'm2', 'm3'].map((id, index) => both[index % 2]?.deliver(track(id))));
  // In this time a running worker would have taken all of them.
  await expect.poll(() => both[0]?.endpoints()[0]?.waiting).toBe(3);
  expect(endpoint.received).toHaveLength(0);
  both[0]?.setPaused(false);
  await endpoint.has(3);
  both[0]?.setPaused(true);
  await both[1]?.deliver(track('m4'));
  both[1]?.setPaused(false);
  await endpoint.has(4);
  await expect.poll(() => both[1]?.counters().attempts).toBe(1);
});

test('the window of a delivery on Redis keeps running while its destination is paused', async () => {
  const endpoint = await startEndpoint(200);
  const destination = await openPaused(endpoint.url, { retryFor: 100 });
  await destination.deliver(track('m1'));
  const dead = new Promise((resolve) => void destination.on('dead', ({ endpoints }) => resolve(endpoints[0]?.reason)));
  expect(await dead).toBe('window-over');
  expect(endpoint.received).toHaveLength(0);
});
