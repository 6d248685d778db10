import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openRedisStorage } from '../../src/store/redis/redis-storage.js';
import { startTraffic } from './faulty-traffic.js';
import { RedisCluster } from './redis-cluster.js';
import type { RedisServer } from './redis-server.js';
import { startSilentProxy } from './silent-proxy.js';
import { KILLED, openStorage, startRedis } from './storage.js';

/** How many masters of a cluster are killed. */
const KILLED_MASTERS = Number(process.env['FAULT_MASTERS'] ?? 2);

const killAndStart = async (server: RedisServer): Promise<void> => {
  await server.kill();
  await delay(500);
  await server.start();
};

/** What befalls a server that keeps what it confirmed. */
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
  'with endpoints that fail and appendfsync %s, no fault of a server loses what was accepted or keeps it waiting',
  async (appendfsync, faults: typeof FAULTS) => {
    const server = await startRedis({ appendfsync });
    const { flows, end } = await startTraffic(await openStorage(server, randomUUID(), { intervals: KILLED }));
    await flows('the start');
    for (const [name, strike] of Object.entries(faults)) {
      await strike(server);
      await flows(name);
    }
    await end();
  },
);

test('with endpoints that fail, connections that fall silent without a word are left, and nothing is lost or kept waiting', async () => {
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

test('with endpoints that fail, a cluster whose masters are killed one after the other loses nothing and keeps nothing waiting', async () => {
  // A process that is killed has written to its replica what it wrote to its clients; a machine that loses power may not have.
  const cluster = await RedisCluster.start();
  onTestFinished(() => cluster.remove());
  const storage = await openStorage(cluster, randomUUID(), { intervals: KILLED });
  const { flows, end } = await startTraffic(storage);
  for (let killed = 0; killed < KILLED_MASTERS; killed++) {
    await flows(`${killed} masters were killed`);
    const masters = await cluster.masters();
    const master = masters[killed % masters.length];
    await master?.kill();
    await expect.poll(async () => (await cluster.masters()).length, { timeout: 60_000 }).toBe(2);
    await expect.poll(async () => (await cluster.masters()).length, { timeout: 60_000 }).toBe(3);
    await master?.start();
    await cluster.ready();
  }
  await flows('the last');
  await end();
}, 3_600_000);
