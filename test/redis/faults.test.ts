import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Command } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { PARTITIONS, partitionTags } from '../../src/store/redis/partitions.js';
import { RedisKeys } from '../../src/store/redis/redis-keys.js';
import { openRedisStorage } from '../../src/store/redis/redis-storage.js';
import { startTraffic } from './faulty-traffic.js';
import { RedisCluster } from './redis-cluster.js';
import type { RedisServer } from './redis-server.js';
import { startSilentProxy } from './silent-proxy.js';
import { KILLED, openStorage, startRedis } from './storage.js';

/** The number of masters of a cluster to kill. */
const KILLED_MASTERS = Number(process.env['FAULT_MASTERS'] ?? 2);

/** How often a replica takes over from its master. */
const FAILOVERS = 12;

/** Replaces a key by a text, and keeps its value under another key. */
const SPOIL = `
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('RENAME', KEYS[1], KEYS[2]) end
redis.call('SET', KEYS[1], 'of another type')
`;
const MEND = `
redis.call('DEL', KEYS[1])
if redis.call('EXISTS', KEYS[2]) == 1 then redis.call('RENAME', KEYS[2], KEYS[1]) end
`;

const slotOf = (key: string): number => new Command('get', [key]).getSlot() ?? 0;

const killAndStart = async (server: RedisServer): Promise<void> => {
  await server.kill();
  await delay(500);
  await server.start();
};

/** The faults of a server that keeps what it confirmed. */
const FAULTS: Readonly<Record<string, (server: RedisServer) => Promise<unknown>>> = {
  'SCRIPT FLUSH': (server) => server.look((redis) => redis.script('FLUSH')),
  'CLIENT KILL TYPE normal': (server) => server.look((redis) => redis.call('CLIENT', 'KILL', 'TYPE', 'normal')),
  'Redis frozen for longer than a command may take': async (server) => {
    server.freeze();
    await delay(5_000);
    server.thaw();
  },
  'its memory used up': async (server) => {
    await server.look((redis) => redis.config('SET', 'maxmemory', 1));
    await delay(1_500);
    await server.look((redis) => redis.config('SET', 'maxmemory', 0));
  },
  'Redis killed': killAndStart,
};

test.each([
  ['always', FAULTS],
  ['everysec', { 'Redis killed': killAndStart }],
])(
  'with failing endpoints and appendfsync %s, no server fault loses an accepted event or leaves it waiting',
  async (appendfsync, faults: typeof FAULTS) => {
    const server = await startRedis({ appendfsync });
    const { flows, suffer, end } = await startTraffic(await openStorage(server, randomUUID(), { intervals: KILLED }));
    await flows('the start');
    for (const [name, strike] of Object.entries(faults)) {
      await suffer(() => strike(server));
      await flows(name);
    }
    await end();
  },
);

test('with failing endpoints, a key of another type stops only its own endpoint, which continues when the key is repaired', async () => {
  const server = await startRedis();
  const prefix = randomUUID();
  const traffic = await startTraffic(await openStorage(server, prefix, { intervals: KILLED }));
  const { flows, suffer, end, first } = traffic;
  await flows('the start');
  const keys = new RedisKeys(first.name, prefix);
  const key = keys.line(first.url).timed;
  await suffer(async () => {
    await server.look((redis) => redis.eval(SPOIL, 2, key, `${key}:kept`));
    await flows('the spoilt key');
    await server.look((redis) => redis.eval(MEND, 2, key, `${key}:kept`));
  });
  await flows('the mended key');
  await end();
});

test('with failing endpoints, silent connections are replaced, and no event is lost or left waiting', async () => {
  const { port } = await startRedis();
  const { url, swallow } = await startSilentProxy(port);
  const options = { url, prefix: randomUUID(), onWarning: () => undefined };
  const storage = await openRedisStorage(options, KILLED);
  onTestFinished(() => storage.close());
  const { flows, end } = await startTraffic(storage);
  await flows('the start');
  expect(swallow()).toBeGreaterThan(0);
  await flows('the silence');
  await end();
});

const killMaster = async (cluster: RedisCluster, master: RedisServer): Promise<void> => {
  await master.kill();
  await expect.poll(async () => (await cluster.masters()).length, { timeout: 60_000 }).toBe(2);
  await expect.poll(async () => (await cluster.masters()).length, { timeout: 60_000 }).toBe(3);
};

/** Moves the slots of some partitions to the next master. */
async function moveSlots(cluster: RedisCluster, prefix: string): Promise<void> {
  for (const [index, tag] of partitionTags(prefix, PARTITIONS, slotOf).entries()) {
    if (index % 4 !== 0) continue;
    const slot = slotOf(`{${tag}}`);
    const from = await cluster.masterOf(slot);
    const to = (await cluster.masters()).find((server) => server !== from);
    if (to !== undefined) await cluster.move(slot, to);
  }
}

test('with failing endpoints, a cluster loses no event and leaves none waiting when it loses masters, fails over and moves slots', async () => {
  // A killed process has sent to its replica all that it has confirmed to clients. A machine that loses power may not have.
  const cluster = await RedisCluster.start();
  onTestFinished(() => cluster.remove());
  const prefix = randomUUID();
  const { flows, suffer, end } = await startTraffic(await openStorage(cluster, prefix, { intervals: KILLED }));
  const someMaster = async (round: number): Promise<RedisServer> => {
    const masters = await cluster.masters();
    return masters[round % masters.length] as RedisServer;
  };
  await flows('the start');
  for (let failover = 1; failover <= FAILOVERS; failover++) {
    const master = await someMaster(failover);
    await suffer(() => cluster.failOver(master));
    await flows(`failover ${failover}`);
  }
  for (let killed = 1; killed <= KILLED_MASTERS; killed++) {
    const master = await someMaster(killed);
    await suffer(() => killMaster(cluster, master));
    await master.start();
    await cluster.ready();
    await flows(`${killed} masters were killed`);
  }
  await suffer(() => moveSlots(cluster, prefix));
  await flows('the move of slots');
  await end();
}, 3_600_000);

test('with failing endpoints, connections leave a demoted master at the same address, and no event is lost or stuck', async () => {
  const [older, newer] = [await startRedis(), await startRedis()];
  const proxy = await startSilentProxy(older.port);
  const options = { url: proxy.url, prefix: randomUUID(), onWarning: () => undefined };
  const storage = await openRedisStorage(options, KILLED);
  onTestFinished(() => storage.close());
  const { flows, end } = await startTraffic(storage);
  await newer.look((redis) => redis.replicaof('127.0.0.1', older.port));
  const linkOf = (server: RedisServer) => server.look((redis) => redis.info('replication'));
  await expect.poll(() => linkOf(newer)).toContain('master_link_status:up');
  await flows('the start');
  // This imitates a failover without loss: first the replica gets everything, then it takes over.
  await older.look((redis) => redis.call('CLIENT', 'PAUSE', 3_000, 'WRITE'));
  await expect
    .poll(async () => {
      const [, offset, of] = /offset=(\d+)[\s\S]*master_repl_offset:(\d+)/.exec(await linkOf(older)) ?? [];
      return offset !== undefined && offset === of;
    })
    .toBe(true);
  await newer.look((redis) => redis.call('REPLICAOF', 'NO', 'ONE'));
  proxy.lead(newer.port);
  await older.look(async (redis) => {
    await redis.replicaof('127.0.0.1', newer.port);
    await redis.call('CLIENT', 'UNPAUSE');
  });
  await flows('the change of masters');
  await end();
});
