import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Destination } from '../../src/destination/destination.js';
import { redisStorage } from '../../src/store/redis/redis-storage.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { seal } from '../store/seal.js';
import { openStorage, QUICK, startRedis } from './storage.js';

const failure = (url: string, onWarning?: (text: string) => void): Promise<unknown> =>
  redisStorage({ url, onWarning }).then(
    async (storage) => storage.close(),
    (error: unknown) => error,
  );

describe('refused servers', () => {
  test.each([
    ['that keeps nothing on its disk', 'appendonly', 'yes', 'no'],
    ['that makes room by forgetting', 'maxmemory-policy', 'noeviction', 'allkeys-lru'],
  ])('a server %s is refused', async (_, setting, expected, received) => {
    const server = await startRedis({ [setting]: received });
    expect(await failure(server.url)).toMatchObject({
      name: 'RedisUnfitError',
      code: 'EVENTFERRY_STORE_REDIS_UNFIT',
      setting,
      message: `Redis needs \`${setting} ${expected}\`, or it loses what it accepted; it has \`${setting} ${received}\``,
    });
  });

  test('an address without a server is refused', async () => {
    const server = await startRedis();
    await server.kill();
    expect(await failure(server.url)).toMatchObject({
      name: 'RedisFailedError',
      code: 'EVENTFERRY_STORE_REDIS_FAILED',
      message: `Redis: connect ECONNREFUSED 127.0.0.1:${server.port}`,
    });
  });

  test.each(['localhost:6379', 'http://127.0.0.1:6379', ''])('the address %j is refused', async (url) => {
    expect(await failure(url)).toMatchObject({ code: 'EVENTFERRY_STORE_INVALID_OPTION', option: 'url' });
  });
});

test('a server with appendfsync everysec gives a warning', async () => {
  const warnings: string[] = [];
  for (const appendfsync of ['always', 'everysec']) {
    const server = await startRedis({ appendfsync });
    expect(await failure(server.url, (text) => warnings.push(text))).toBeUndefined();
  }
  expect(warnings).toEqual([
    'Redis has `appendfsync everysec`: when it is killed or its machine loses power, what was accepted last may be lost; `always` keeps it',
  ]);
});

test('a storage is not ready when its check for due deliveries has been unanswered for too long', async () => {
  const server = await startRedis();
  const intervals = { ...QUICK, lookMs: 3_600_000, silentMs: 300 };
  const storage = await openStorage(server, undefined, { intervals });
  await storage.check();
  const { url } = await startEndpoint(200);
  const store = seal(await storage.deliveries('a'));
  const destination = await Destination.open({ webhooks: [{ url }], allowLoopback: true, store });
  onTestFinished(() => destination.close({ timeout: 0 }));
  const failure = () => storage.check().catch((error: unknown) => error);
  await expect.poll(failure).toMatchObject({
    code: 'EVENTFERRY_STORE_REDIS_FAILED',
    message: expect.stringContaining('it has not answered what has come up for delivery'),
  });
});

test('each destination of a storage has one store', async () => {
  const server = await startRedis();
  const storage = await openStorage(server);
  expect(await storage.deliveries('a')).toBe(await storage.deliveries('a'));
  expect(await storage.deliveries('a')).not.toBe(await storage.deliveries('b'));
  const { url } = await startEndpoint(200);
  const event = { id: 'm1', type: 'track', acceptedAt: 1, urls: {}, isDead: false } as const;
  await (await storage.deliveries('a/b')).add(
    { ...event, urls: { [url]: { phase: 'pending', due: 1, history: [] } } },
    Buffer.of(1),
  );
  expect(await (await storage.deliveries('a')).event('m1')).toBeUndefined();
  expect(await (await storage.deliveries('a/b')).event('m1')).toBeDefined();
  expect(await storage.size()).toBeGreaterThan(100_000);
});

test('processes whose clocks differ by hours follow the clock of Redis', async () => {
  const server = await startRedis();
  const now = Date.now.bind(Date);
  const off = vi.spyOn(Date, 'now').mockImplementation(() => now() + 5 * 3_600_000);
  onTestFinished(() => off.mockRestore());
  const storage = await openStorage(server);
  await expect.poll(() => Math.abs(storage.clock.now() - now())).toBeLessThan(1_000);
  await expect.poll(() => Math.abs(storage.clock.wall() - now())).toBeLessThan(1_000);
});

test('a process whose clock differs from that of Redis only by the network delay follows its own clock', async () => {
  const server = await startRedis();
  const now = Date.now.bind(Date);
  const off = vi.spyOn(Date, 'now').mockImplementation(() => now() + 500);
  onTestFinished(() => off.mockRestore());
  const storage = await openStorage(server);
  await expect.poll(() => Math.abs(storage.clock.now() - now() - 500)).toBeLessThan(200);
});
