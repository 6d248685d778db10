import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { Destination } from '../../src/destination/destination.js';
import type { DestinationOptions } from '../../src/destination/settings/destination-options.js';
import type { Intervals } from '../../src/store/redis/intervals.js';
import { entryAt } from '../../src/store/redis/redis-index.js';
import { openRedisStorage, type RedisStorage } from '../../src/store/redis/redis-storage.js';
import type { RedisStorageOptions } from '../../src/store/redis/redis-storage-options.js';
import { RedisStore } from '../../src/store/redis/redis-store.js';
import { seal } from '../store/seal.js';
import type { StorageUnderTest } from '../store/storage-under-test.js';
import { RedisCluster } from './redis-cluster.js';
import { RedisServer } from './redis-server.js';

/** Short intervals of seconds instead of half a minute. With even shorter ones, a busy machine would seem dead. */
export const QUICK: Intervals = {
  leaseMs: 5_000,
  lookMs: 250,
  silentMs: 60_000,
  countMs: 100,
  overseeMs: 500,
};

/** Intervals for tests that kill processes and wait until others notice. */
export const KILLED: Intervals = { ...QUICK, leaseMs: 1_500 };

/** Starts a server that runs until the test ends. */
export async function startRedis(settings?: Readonly<Record<string, string>>): Promise<RedisServer> {
  const server = await RedisServer.start(settings);
  onTestFinished(() => server.remove());
  return server;
}

/** Opens a storage with its own prefix, which is closed when the test ends. */
export async function openStorage(
  server: RedisServer | RedisCluster,
  prefix: string = randomUUID(),
  { intervals = QUICK, ...options }: Omit<RedisStorageOptions, 'url' | 'cluster'> & { intervals?: Intervals } = {},
): Promise<RedisStorage> {
  const address = server instanceof RedisCluster ? { cluster: server.urls } : { url: server.url };
  const storage = await openRedisStorage({ ...address, prefix, onWarning: () => undefined, ...options }, intervals);
  onTestFinished(() => storage.close());
  return storage;
}

/** Opens the store of one destination as a `RedisStore`, which has more methods than the interface. */
export async function openStore(
  server: RedisServer,
  prefix?: string,
  intervals: Intervals = QUICK,
): Promise<RedisStore> {
  const store = await (await openStorage(server, prefix, { intervals })).deliveries('orders');
  if (!(store instanceof RedisStore)) throw new Error('Another store than was expected');
  return store;
}

/** Room for `size` deliveries that are claimed while they are stored, as an open line grants it. */
export function roomFor(size: number) {
  const room = {
    reserved: 0,
    reserve: (most: number) => {
      const reserved = Math.min(most, size - room.reserved);
      room.reserved += reserved;
      return reserved;
    },
    free: (count: number) => {
      room.reserved -= count;
    },
  };
  return room;
}

/** Claims up to `count` deliveries at the URL, as an endpoint does, and returns their ids. */
export async function claimAt(store: RedisStore, url: string, count: number): Promise<string[]> {
  const { claims } = store.parts[0].connection;
  const claimed = await claims.ask({ keys: store.parts[0].keys, url, windowMs: 14_400_000, count: () => count });
  for (const each of claimed) {
    const known = store.parts[0].noteClaimed(url, each);
    const entry = known && entryAt(url, known.event);
    if (entry === undefined) throw new Error('What was claimed does not wait');
    store.parts[0].leases(url).hold(each.id, { stage: entry.stage, place: String(entry.at), until: each.until });
  }
  return claimed.map(({ id }) => id);
}

/** Describes storage on the server that is running when a test begins. */
export function redisUnderTest(server: () => RedisServer | RedisCluster): StorageUnderTest {
  let prefix: string;
  return {
    name: 'redis',
    lasts: true,
    isShared: true,
    setUp: async () => {
      prefix = randomUUID();
      const own = prefix;
      return () => openStorage(server(), own);
    },
    pass: (ms) => server().pass(prefix, ms),
  };
}

/** Opens a destination in one of several processes. Those with the same prefix share the waiting deliveries. */
export async function openDestination(
  server: RedisServer | RedisCluster,
  prefix: string,
  { intervals = QUICK, ...settings }: DestinationOptions & { intervals?: Intervals },
): Promise<Destination> {
  const storage = await openStorage(server, prefix, { intervals });
  const store = await storage.deliveries('orders');
  const destination = await Destination.open({ allowLoopback: true, ...settings, store: seal(store) });
  onTestFinished(() => destination.close({ timeout: 0 }));
  return destination;
}
