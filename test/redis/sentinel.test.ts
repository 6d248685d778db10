import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { openRedisStorage, redisStorage } from '../../src/store/redis/redis-storage.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { configOf, destinationOf, sendBatch, serving, track } from '../service/support.js';
import { RedisSentinels } from './redis-sentinels.js';
import { QUICK } from './storage.js';

const PASSWORD = 'sesame';

/** Sends a message until it is accepted, as a client does. */
async function accepted(url: string, id: string): Promise<void> {
  await expect.poll(async () => (await sendBatch(url, track(id))).status, { timeout: 60_000, interval: 200 }).toBe(200);
}

test('a service follows the master that three sentinels name, through a failover and a killed master, and loses no event', async () => {
  const redis = await RedisSentinels.start('shop', PASSWORD);
  const endpoint = await startEndpoint(200);
  const options = { ...redis.address(PASSWORD), prefix: randomUUID(), waitForReplicas: 0, onWarning: () => undefined };
  const storage = await openRedisStorage(options, QUICK);
  onTestFinished(() => storage.close());
  const { url } = await serving(configOf({ destinations: [destinationOf(endpoint.url)] }), { storage });
  await accepted(url, 'before');
  await endpoint.has(1);

  await redis.failOver();
  await accepted(url, 'after the change');
  await endpoint.has(2);

  const master = redis.servers.find(({ port }) => port !== redis.servers[0].port);
  expect(await redis.masterPort()).toBe(master?.port);
  await expect
    .poll(() => master?.look((connection) => connection.info('replication')), { timeout: 30_000 })
    .toMatch(/state=online/);
  await master?.kill();
  await accepted(url, 'after the death');
  await endpoint.has(3);
  const ids = endpoint.received.map(({ body }) => (JSON.parse(body.toString()) as { messageId: string }).messageId);
  expect([...new Set(ids)]).toEqual(['before', 'after the change', 'after the death']);
});

test('an unknown master name, a wrong password and stopped sentinels cause clear errors without secrets', async () => {
  const redis = await RedisSentinels.start('shop', PASSWORD);
  const failureOf = (options: Parameters<typeof redisStorage>[0]): Promise<unknown> =>
    redisStorage(options).then(
      (storage) => storage.close(),
      (error: unknown) => error,
    );
  const unknown = await failureOf({ url: `redis://:${PASSWORD}@shops`, sentinels: redis.sentinels });
  const wrong = await failureOf({ url: 'redis://:wrong-secret@shop', sentinels: redis.sentinels });
  const gone = await failureOf({ url: `redis://:${PASSWORD}@shop`, sentinels: ['redis://:wrong-secret@127.0.0.1:1'] });
  expect(String(unknown)).toContain('the sentinels know no master "shops"');
  expect(String(wrong)).toContain('check the user and the password in the URL');
  expect(String(gone)).toContain('no sentinel names the master "shop": none of them answers');
  expect(inspect([unknown, wrong, gone], { depth: 9, showHidden: true })).not.toMatch(/sesame|wrong-secret/);
});
