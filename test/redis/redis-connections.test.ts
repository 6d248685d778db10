import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Destination } from '../../src/destination/destination.js';
import { connect, loadPackages } from '../../src/store/redis/redis-connections.js';
import { redisStorage } from '../../src/store/redis/redis-storage.js';
import { track } from '../destination/track.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { seal } from '../store/seal.js';
import { RedisCluster } from './redis-cluster.js';
import type { RedisServer } from './redis-server.js';
import { openStorage, startRedis } from './storage.js';

const failure = (url: string, onWarning?: (text: string) => void): Promise<unknown> =>
  redisStorage({ url, onWarning }).then(
    async (storage) => storage.close(),
    (error: unknown) => error,
  );

describe('a password of Redis', () => {
  test('a password in the URL opens the connection', async () => {
    const server = await startRedis({ requirepass: 'sesame' });
    expect(await failure(server.url.replace('//', '//:sesame@'))).toBeUndefined();
  });

  test('a password of Redis appears in no error and no inspection', async () => {
    const server = await startRedis({ requirepass: 'sesame' });
    const urls = ['//user:wrong-secret@', '//:wrong-secret@'].map((user) => server.url.replace('//', user));
    for (const url of [...urls, 'http://:wrong-secret@127.0.0.1', 'redis://:wrong-secret@127.0.0.1:1']) {
      const error = await failure(url);
      expect(error).toBeInstanceOf(Error);
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('wrong-secret');
    }
    const storage = await redisStorage({ url: server.url.replace('//', '//:sesame@') });
    const shown = inspect([storage, await storage.deliveries('orders')], { depth: 9, showHidden: true });
    await storage.close();
    expect(shown).not.toContain('sesame');
  });
});

test('a connection to a former master is closed once, however many writes the server refuses', async () => {
  const server = await startRedis();
  const { link, listening } = await connect(await loadPackages(), { url: server.url });
  onTestFinished(() => {
    for (const redis of [link.redis, listening]) redis.disconnect();
  });
  const socket: unknown = Reflect.get(link.redis, 'stream');
  if (!(socket instanceof Socket)) throw new Error('There is a connection');
  await server.look((redis) => redis.replicaof('127.0.0.1', 1));
  const writes = Array.from({ length: 20 }, () => link.ask((redis) => redis.set('key', 'value')));
  const refused = await Promise.allSettled(writes);
  expect(refused.every(({ status }) => status === 'rejected')).toBe(true);
  expect(socket.listenerCount('close')).toBeLessThan(5);
  await server.look((redis) => redis.replicaof('NO', 'ONE'));
  await expect.poll(() => link.ask((redis) => redis.set('key', 'value')).catch(() => undefined)).toBe('OK');
  expect(Reflect.get(link.redis, 'stream')).not.toBe(socket);
});

test('a failure of a call that the driver makes by itself when it connects again does not end the process', async () => {
  const server = await startRedis();
  const { link, listening } = await connect(await loadPackages(), { url: server.url });
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  for (const redis of [link.redis, listening]) {
    redis.disconnect();
    // Nobody handles these, as in the driver.
    Reflect.apply(Reflect.get(redis, 'select'), redis, [1]);
    Reflect.apply(Reflect.get(redis, 'subscribe'), redis, ['notices']);
  }
  await delay(100);
  expect(unhandled).toEqual([]);
});

describe('the connections of a process', () => {
  const DESTINATIONS = 50;

  /** Counts the connections of clients, without the one that counts. */
  const connectionsTo = (server: RedisServer): Promise<number> =>
    server.look(async (redis) => {
      const lists = [
        await redis.call('CLIENT', 'LIST', 'TYPE', 'normal'),
        await redis.call('CLIENT', 'LIST', 'TYPE', 'pubsub'),
      ];
      return lists.flatMap((list) => String(list).trim().split('\n')).filter((line) => line !== '').length - 1;
    });

  async function deliverEverywhere(server: RedisServer | RedisCluster): Promise<void> {
    const endpoint = await startEndpoint(200);
    const storage = await openStorage(server);
    const destinations = await Promise.all(
      Array.from({ length: DESTINATIONS }, async (_, index) => {
        const store = seal(await storage.deliveries(`d${index}`));
        const webhooks = [{ url: `${endpoint.url}?${index}` }];
        const destination = await Destination.open({ webhooks, allowLoopback: true, store });
        onTestFinished(() => destination.close({ timeout: 0 }));
        return destination;
      }),
    );
    await Promise.all(destinations.map((destination, index) => destination.deliver(track(`m${index}`))));
    await endpoint.has(DESTINATIONS);
  }

  test('a process with 50 destinations has at most three connections to one server', async () => {
    const server = await startRedis();
    await deliverEverywhere(server);
    const connections = await connectionsTo(server);
    expect(connections).toBeGreaterThan(0);
    expect(connections).toBeLessThanOrEqual(3);
  });

  test('a process with 50 destinations has at most three connections to each node of a cluster', async () => {
    const cluster = await RedisCluster.start();
    onTestFinished(() => cluster.remove());
    await deliverEverywhere(cluster);
    const connections = await Promise.all(cluster.servers.map(connectionsTo));
    expect(Math.max(...connections)).toBeGreaterThan(0);
    expect(connections.filter((count) => count > 3)).toEqual([]);
  });
});
