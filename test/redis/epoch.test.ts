import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { newEvent } from '../../src/delivery/completion-rule.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { recordingLog } from '../service/recording-log.js';
import { ask, configOf, destinationOf, metricsAt, sendBatch, serving, track } from '../service/support.js';
import { openStorage, startRedis } from './storage.js';

const URL_A = 'https://a.example/';

test('a service whose Redis is emptied reports it in log, status and metrics, keeps running, and can be restarted', async () => {
  const server = await startRedis();
  const prefix = randomUUID();
  const log = recordingLog();
  const storage = await openStorage(server, prefix);
  const config = configOf({ destinations: [destinationOf('http://127.0.0.1:9/')] });
  const { url, ask: asAdmin } = await serving(config, { storage, log });
  const errors = () => log.lines.filter(({ text }) => text.startsWith('the store has lost everything'));
  expect((await sendBatch(url, track('m1'))).status).toBe(200);
  expect((await asAdmin('/v1/status')).body.store.emptiedAt).toBeNull();
  await server.look((redis) => redis.flushall());
  await sendBatch(url, track('m2'));
  await expect.poll(errors).toMatchObject([{ level: 'error', times: 1 }]);
  expect((await asAdmin('/v1/status')).body.store.emptiedAt).toMatch(/Z$/);
  expect(await metricsAt(url)).toContain('\neventferry_store_emptied_total 1\n');
  expect((await ask(url, '/readyz')).status).toBe(200);
  expect((await sendBatch(url, track('m3'))).status).toBe(200);
  expect(errors()).toHaveLength(1);
  const again = await openStorage(server, prefix);
  expect(again.isNew).toBe(false);
  await again.check();
});

test('a service that starts on an empty Redis logs that it is empty, and does not when it starts again', async () => {
  const server = await startRedis();
  const prefix = randomUUID();
  for (const expected of [1, 0]) {
    const log = recordingLog();
    await serving(configOf(), { storage: await openStorage(server, prefix), log });
    expect(log.lines.filter(({ text }) => text.startsWith('the store is empty'))).toHaveLength(expected);
  }
});

test('without a service, the storage itself warns once that Redis was emptied', async () => {
  const server = await startRedis();
  const warnings: string[] = [];
  const storage = await openStorage(server, randomUUID(), { onWarning: (text) => warnings.push(text) });
  await server.look((redis) => redis.flushall());
  await Promise.all([storage.check(), storage.check()]);
  await storage.check();
  expect(warnings).toEqual([expect.stringContaining('Redis has lost all data of this storage')]);
});

test('after Redis was emptied, another process finds deliveries at the URLs of an open destination', async () => {
  const server = await startRedis();
  const prefix = randomUUID();
  const storage = await openStorage(server, prefix);
  const store = await storage.deliveries('orders');
  await store.webhooks.update(() => [{ key: URL_A, url: URL_A }]);
  await server.look((redis) => redis.flushall());
  await storage.check();
  await store.add(newEvent('m1', 'track', [URL_A], 1_000, { bytes: 2 }), Buffer.from('{}'));
  const other = await (await openStorage(server, prefix)).deliveries('orders');
  expect(await other.backlog()).toMatchObject([{ url: URL_A, first: 1 }]);
});

test('an event accepted after Redis was emptied goes to the new URL of its webhook, as before', async () => {
  const server = await startRedis();
  const prefix = randomUUID();
  const [down, up] = [await startEndpoint(500), await startEndpoint(200)];
  const storage = await openStorage(server, prefix);
  const { url, service } = await serving(configOf({ destinations: [destinationOf(down.url)] }), { storage });
  expect((await sendBatch(url, track('m1'))).status).toBe(200);
  await expect.poll(() => down.received.length).toBe(1);
  await server.look((redis) => redis.flushall());
  await storage.check();
  expect((await sendBatch(url, track('m2'))).status).toBe(200);
  await expect.poll(() => down.received.length).toBe(2);
  await service.close();
  await serving(configOf({ destinations: [destinationOf(up.url)] }), {
    storage: await openStorage(server, prefix),
  });
  await expect.poll(() => up.received.length, { timeout: 20_000 }).toBe(1);
});
