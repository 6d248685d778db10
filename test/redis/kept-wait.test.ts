import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RedisCluster } from './redis-cluster.js';
import type { RedisServer } from './redis-server.js';
import { openStorage } from './storage.js';

let cluster: RedisCluster;

beforeAll(async () => {
  cluster = await RedisCluster.start();
});

afterAll(() => cluster.remove());

const idsOf = (count: number): string[] => Array.from({ length: count }, (_, index) => `m${index}`);

const named = (ids: readonly string[]) => ids.map((id) => ({ id }));

const intakesOf = (ids: readonly string[]) => ids.map((id) => ({ id, body: Buffer.of(), deliveries: [] }));

async function replicaOf(master: RedisServer): Promise<RedisServer> {
  const info = await master.look((redis) => redis.info('replication'));
  const port = Number(/slave0:ip=[^,]*,port=(\d+)/.exec(info)?.[1]);
  const replica = cluster.servers.find((server) => server.port === port);
  if (replica === undefined) throw new Error('a master has no replica');
  return replica;
}

test('a write is durable once the replicas of a cluster have it, and fails if one replica is too slow', async () => {
  const storage = await openStorage(cluster, randomUUID(), { waitForReplicas: 1 });
  const ids = idsOf(50);
  await storage.takeIn('web', intakesOf(ids));
  await storage.settled(() => ({ source: 'web', messages: named(ids) }));
  await storage.keyValues.write([{ key: 'a/1', value: 'x' }]);
  await storage.settled(() => ({ key: 'a/1' }));

  const [master] = await cluster.masters();
  const replica = master && (await replicaOf(master));
  replica?.freeze();
  const others = idsOf(50).map((id) => `other-${id}`);
  await storage.takeIn('web', intakesOf(others));
  await expect(storage.settled(() => ({ source: 'web', messages: named(others) }))).rejects.toMatchObject({
    code: 'EVENTFERRY_STORE_REDIS_FAILED',
    message: 'Redis: 0 of 1 replicas that are waited for had it within 3000 ms',
  });
  replica?.thaw();
  // The message is known and stored by now.
  expect(await storage.takeIn('web', intakesOf(others))).toEqual(others.map(() => 'known'));
  await storage.settled(() => ({ source: 'web', messages: named(others) }));
});

test('a write does not count as durable if a replica without it takes over', async () => {
  const storage = await openStorage(cluster, randomUUID(), { waitForReplicas: 1 });
  const [master] = await cluster.masters();
  if (master === undefined) throw new Error('there is no master');
  const replica = await replicaOf(master);
  // This makes the nodes of all slots known.
  await storage.takeIn('web', intakesOf(idsOf(20)));
  replica.freeze();
  // Data already on its way to the replica would otherwise still arrive.
  await master.look((redis) => redis.call('CLIENT', 'KILL', 'TYPE', 'replica'));
  const ids = idsOf(50).map((id) => `lost-${id}`);
  await storage.takeIn('web', intakesOf(ids));
  await master.kill();
  replica.thaw();
  await expect.poll(async () => (await cluster.masters()).includes(replica)).toBe(true);
  await master.start();
  await cluster.ready();
  await expect(storage.settled(() => ({ source: 'web', messages: named(ids) }))).rejects.toThrow(
    'Redis: another server took the place of the one that had stored it',
  );
  // Messages that were lost are new again.
  const again = await storage.takeIn('web', intakesOf(ids));
  expect(new Set(again.map((became) => (typeof became === 'string' ? became : 'new')))).toEqual(
    new Set(['new', 'known']),
  );
  await storage.settled(() => ({ source: 'web', messages: named(ids) }));
});
