import { expect, test } from 'vitest';
import { redisStorage } from '../../src/store/redis/redis-storage.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { ask, configOf, destinationOf, sendBatch, serving, track } from '../service/support.js';
import { openStorage, startRedis } from './storage.js';

test('a service that waits for a replica answers 503 without one, and accepts the same messages when it is back', async () => {
  const master = await startRedis();
  const replica = await startRedis({ replicaof: `127.0.0.1 ${master.port}` });
  await expect.poll(() => master.look((redis) => redis.info('replication'))).toMatch(/slave0:.*state=online/);
  const endpoint = await startEndpoint(200);
  const config = configOf({ destinations: [destinationOf(endpoint.url)] });
  const { url } = await serving(config, { storage: await openStorage(master, 'shop', { waitForReplicas: 1 }) });
  expect((await sendBatch(url, track('m1'))).status).toBe(200);
  const asked = await ask(url, '/v1/deletions', { method: 'POST', json: { userIds: ['ann'] } });
  expect(asked.status).toBeLessThan(300);

  replica.freeze();
  const refused = await sendBatch(url, track('m2'));
  expect(refused.status).toBe(503);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  // Redis considers it connected for another minute.
  expect(await master.look((redis) => redis.info('replication'))).toContain('connected_slaves:1');
  expect(await ask(url, '/readyz')).toMatchObject({
    status: 503,
    body: { code: 'not_ready', message: expect.stringContaining('`in_sync_replicas 0`') },
  });
  replica.thaw();
  await expect.poll(async () => (await sendBatch(url, track('m2'))).status).toBe(200);
  expect((await ask(url, '/readyz')).status).toBe(200);
  await endpoint.has(2);
  const ids = endpoint.received.map(({ body }) => (JSON.parse(body.toString()) as { messageId: string }).messageId);
  expect(ids.filter((id) => id === 'm2')).toEqual(['m2']);
});

test('waiting for more replicas than exist causes a warning', async () => {
  const { url } = await startRedis();
  const warnings: string[] = [];
  const storage = await redisStorage({ url, waitForReplicas: 2, onWarning: (text) => warnings.push(text) });
  await storage.close();
  expect(warnings).toEqual([
    'Redis needs `connected_slaves 2`, or it loses what it accepted; it has `connected_slaves 0`. New events are refused',
  ]);
});

test('a node of a cluster is refused as a single server, and a single server as a node', async () => {
  const [node, server] = [await startRedis({ 'cluster-enabled': 'yes' }), await startRedis()];
  await expect(redisStorage({ url: node.url })).rejects.toMatchObject({
    option: 'url',
    message: expect.stringContaining('a node of a Redis Cluster: give it in `cluster`'),
  });
  await expect(redisStorage({ cluster: [server.url] })).rejects.toMatchObject({
    option: 'cluster',
    message: expect.stringContaining('a server of its own: give it as `url`'),
  });
});
