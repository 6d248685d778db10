import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Destination } from '../../src/destination/destination.js';
import { track } from '../destination/track.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { seal } from '../store/seal.js';
import { RedisCluster } from './redis-cluster.js';
import { KILLED, openStorage } from './storage.js';

const ENDPOINTS = 40;

/** The number of masters to kill. */
const ROUNDS = Number(process.env['CLUSTER_ROUNDS'] ?? 4);

/** Starts an endpoint that fails the first attempt at every message, and records what has arrived. */
async function startFailing() {
  const tried = new Set<string>();
  const arrived = new Set<string>();
  const endpoint = await startEndpoint((_, response) => {
    const { path = '', body = Buffer.of() } = endpoint.received.at(-1) ?? {};
    const { messageId } = JSON.parse(body.toString()) as { messageId: string };
    const delivery = `${path} ${messageId}`;
    if (tried.has(delivery)) arrived.add(messageId);
    response.writeHead(tried.has(delivery) ? 200 : 503).end();
    tried.add(delivery);
  });
  return { url: endpoint.url, arrived };
}

async function openAll(cluster: RedisCluster, url: string): Promise<Destination[]> {
  const storage = await openStorage(cluster, randomUUID(), { intervals: KILLED });
  return Promise.all(
    Array.from({ length: ENDPOINTS }, async (_, index) => {
      const store = seal(await storage.deliveries(`d${index}`));
      const destination = await Destination.open({
        webhooks: [{ url: `${url}?${index}` }],
        allowLoopback: true,
        store,
      });
      destination.on('error', () => undefined);
      onTestFinished(() => destination.close({ timeout: 0 }));
      return destination;
    }),
  );
}

/** Delivers one message at each endpoint, with as many tries as necessary, and returns their ids. */
async function deliverEverywhere(destinations: readonly Destination[], round: string): Promise<string[]> {
  return Promise.all(
    destinations.map(async (destination, index) => {
      const id = `${round}-${index}`;
      while ((await destination.deliver(track(id)).catch(() => undefined)) === undefined) await delay(200);
      return id;
    }),
  );
}

test('every endpoint of a cluster makes its retries after masters were killed and came back', async () => {
  const cluster = await RedisCluster.start();
  onTestFinished(() => cluster.remove());
  const { url, arrived } = await startFailing();
  const destinations = await openAll(cluster, url);
  const accepted: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    accepted.push(...(await deliverEverywhere(destinations, `r${round}`)));
    const masters = await cluster.masters();
    const master = masters[round % masters.length];
    await master?.kill();
    await expect.poll(async () => (await cluster.masters()).length, { timeout: 60_000 }).toBe(2);
    await expect.poll(async () => (await cluster.masters()).length, { timeout: 60_000 }).toBe(3);
    await master?.start();
    await cluster.ready();
  }
  accepted.push(...(await deliverEverywhere(destinations, 'last')));
  // Messages that only a master has confirmed may be lost with it. In the last round no master is killed.
  const late = () => accepted.filter((id) => id.startsWith('last') && !arrived.has(id));
  await expect.poll(late, { timeout: 65_000, interval: 500 }).toEqual([]);
  const overdue = () =>
    destinations
      .flatMap((each) => each.endpoints())
      .filter(({ oldestDue = Number.POSITIVE_INFINITY }) => oldestDue < Date.now() - 60_000);
  await expect.poll(overdue, { timeout: 65_000, interval: 500 }).toEqual([]);
}, 600_000);
