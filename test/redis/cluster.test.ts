import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Command } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { PARTITIONS, partitionTags } from '../../src/store/redis/partitions.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { configOf, destinationOf, sendBatch, serving, sourceOf, track } from '../service/support.js';
import { RedisCluster } from './redis-cluster.js';
import type { RedisServer } from './redis-server.js';
import { KILLED, openStorage } from './storage.js';

/** The number of masters to kill. The documentation quotes results with `CLUSTER_ROUNDS=30`. */
const ROUNDS = Number(process.env['CLUSTER_ROUNDS'] ?? 2);

const BATCH = 20;

const slotOf = (key: string): number => new Command('get', [key]).getSlot() ?? 0;

async function startCluster(): Promise<RedisCluster> {
  const cluster = await RedisCluster.start();
  onTestFinished(() => cluster.remove());
  return cluster;
}

/** Starts two services on one cluster, as on two machines, with two destinations. */
async function serveTwice(cluster: RedisCluster, prefix: string) {
  const endpoints = [await startEndpoint(200), await startEndpoint(200)];
  const destinations = endpoints.map(({ url }, index) =>
    destinationOf(url, { name: `d${index}`, keepAttempts: false }),
  );
  const names = destinations.map(({ name }) => name);
  const config = configOf({ destinations, sources: [sourceOf({ destinations: names })] });
  const urls: string[] = [];
  for (const _ of [1, 2]) {
    const storage = await openStorage(cluster, prefix, { intervals: KILLED, waitForReplicas: 1 });
    urls.push((await serving(config, { storage })).url);
  }
  const arrived = endpoints.map(
    (endpoint) => () =>
      endpoint.received.map(({ body }) => (JSON.parse(body.toString()) as { messageId: string }).messageId),
  );
  return { urls, arrived };
}

/** Sends batches as clients do until it is told to stop. Each batch is repeated until it is answered with 200. */
function startLoad(urls: readonly string[]) {
  const accepted: string[] = [];
  const refusals = new Map<number, number>();
  let isOver = false;
  const send = async (client: number): Promise<void> => {
    for (let batch = 0; !isOver; batch++) {
      const ids = Array.from({ length: BATCH }, (_, index) => `${client}-${batch}-${index}`);
      const messages = ids.map((id) => track(id));
      for (let attempt = 0; ; attempt++) {
        const { status } = await sendBatch(urls[(client + attempt) % urls.length] ?? '', ...messages);
        if (status === 200) break;
        refusals.set(status, (refusals.get(status) ?? 0) + 1);
        await delay(100);
      }
      accepted.push(...ids);
      await delay(20);
    }
  };
  const clients = [0, 1, 2, 3].map(send);
  return {
    accepted,
    refusals,
    stop: async () => {
      isOver = true;
      await Promise.all(clients);
    },
  };
}

/** Resolves once this many more messages are accepted, whatever happens to the cluster. */
const accepts = (accepted: readonly string[], more: number) => {
  const count = accepted.length + more;
  return expect.poll(() => accepted.length, { timeout: 60_000 }).toBeGreaterThan(count);
};

async function expectAllArrived(accepted: readonly string[], arrived: readonly (() => string[])[]): Promise<void> {
  for (const ids of arrived) {
    const missing = (): number => {
      const there = new Set(ids());
      return accepted.filter((id) => !there.has(id)).length;
    };
    await expect.poll(missing, { timeout: 60_000 }).toBe(0);
  }
}

async function someMaster(cluster: RedisCluster, round: number): Promise<RedisServer> {
  const masters = await cluster.masters();
  const master = masters[round % masters.length];
  if (master === undefined) throw new Error('there is no master');
  return master;
}

test('a cluster loses no accepted event when its masters are killed under load and replaced one after another', async () => {
  const cluster = await startCluster();
  const { urls, arrived } = await serveTwice(cluster, randomUUID());
  const { accepted, refusals, stop } = startLoad(urls);
  await accepts(accepted, 200);
  for (let round = 0; round < ROUNDS; round++) {
    const master = await someMaster(cluster, round);
    await master.kill();
    // Wait until the replica has taken over. It has no replica before the other node is back, and accepts nothing until then.
    await expect.poll(async () => (await cluster.masters()).length, { timeout: 60_000 }).toBe(2);
    await expect.poll(async () => (await cluster.masters()).length, { timeout: 60_000 }).toBe(3);
    await master.start();
    await cluster.ready();
    await accepts(accepted, 200);
  }
  await stop();
  await expectAllArrived(accepted, arrived);
  // All refusals were temporary.
  expect([...refusals.keys()].filter((status) => status !== 503)).toEqual([]);
  if (ROUNDS > 2) {
    const repeats = arrived.map((ids) => ids().length - new Set(ids()).size);
    const told = { rounds: ROUNDS, accepted: accepted.length, refused: refusals.get(503), repeats };
    process.stdout.write(`${JSON.stringify(told)}\n`);
  }
}, 1_800_000);

test('a cluster loses no accepted event when its slots are moved under load', async () => {
  const cluster = await startCluster();
  const prefix = randomUUID();
  const { urls, arrived } = await serveTwice(cluster, prefix);
  const { accepted, refusals, stop } = startLoad(urls);
  await accepts(accepted, 200);
  for (const [index, tag] of partitionTags(prefix, PARTITIONS, slotOf).entries()) {
    if (index % 4 !== 0) continue;
    const slot = slotOf(`{${tag}}`);
    const from = await cluster.masterOf(slot);
    const to = (await cluster.masters()).find((server) => server !== from);
    if (to !== undefined) await cluster.move(slot, to);
    expect(await cluster.masterOf(slot)).not.toBe(from);
    await accepts(accepted, 100);
  }
  await stop();
  await expectAllArrived(accepted, arrived);
  expect([...refusals.keys()].filter((status) => status !== 503)).toEqual([]);
});
