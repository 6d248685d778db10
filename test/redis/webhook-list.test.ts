import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startEndpoint, type TestEndpoint } from '../scheduler/test-endpoint.js';
import { configOf, destinationOf, sendBatch, serving, track } from '../service/support.js';
import { openStorage, openStore, startRedis } from './storage.js';

const idsAt = (...endpoints: TestEndpoint[]): string[] =>
  endpoints.flatMap(({ received }) => received.map(({ body }) => JSON.parse(body.toString()).messageId)).sort();

test('when a URL is changed twenty times in two processes, one after another, every event arrives at one of its URLs', async () => {
  const server = await startRedis();
  const prefix = randomUUID();
  const stays = await startEndpoint(200);
  const moves = await Promise.all(Array.from({ length: 21 }, () => startEndpoint(200)));
  const to = ({ url }: TestEndpoint) =>
    configOf({
      destinations: [destinationOf(url, { webhooks: [{ url }, { url: stays.url }], settle: 'each', concurrency: 4 })],
    });
  const [first, ...others] = moves as [TestEndpoint, ...TestEndpoint[]];
  const processes = [
    await serving(to(first), { storage: await openStorage(server, prefix) }),
    await serving(to(first), { storage: await openStorage(server, prefix) }),
  ];
  const ids: string[] = [];
  for (const [change, next] of others.entries()) {
    for (const [index, { service }] of processes.entries()) {
      const batches = processes.flatMap(({ url }, sender) =>
        Array.from({ length: 5 }, async (_, number) => {
          const id = `${change}-${index}-${sender}-${number}`;
          ids.push(id);
          expect((await sendBatch(url, track(id))).status).toBe(200);
        }),
      );
      await service.reload(to(next));
      await Promise.all(batches);
    }
  }
  const destinations = processes.flatMap(({ service }) => service.destinations());
  await Promise.all(destinations.map(({ destination }) => destination.idle()));
  ids.sort();
  expect(idsAt(...moves)).toEqual(ids);
  expect(idsAt(stays)).toEqual(ids);
  const counts = destinations.map((one) => one.counters());
  expect(counts.map(({ dead }) => dead)).toEqual([0, 0]);
  expect(counts.reduce((sum, { delivered }) => sum + delivered, 0)).toBe(2 * ids.length);
}, 120_000);

test('a damaged list of webhooks causes an error that names its key and quotes none of its contents', async () => {
  const storage = await openStorage(await startRedis());
  const store = await storage.deliveries('orders');
  await store.webhooks.update(() => [{ key: 'https://a.example/secret', url: 'https://a.example/secret' }]);
  const damaged = { key: 'webhooks/orders', value: '[{"key":"https://a.example/secret\u0001"' };
  await storage.keyValues.write([damaged]);
  const failure = await store.webhooks.read().catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'EVENTFERRY_STORE_DAMAGED', message: expect.stringContaining(damaged.key) });
  expect(String(failure)).not.toContain('secret');
});

test('a missing list of webhooks is written again as this process last knew it', async () => {
  const server = await startRedis();
  const store = await openStore(server);
  const known = [{ key: 'https://a.example/', url: 'https://a.example/' }];
  await store.webhooks.update(() => known);
  await server.look((redis) => redis.flushall());
  expect(await store.webhooks.read()).toBeUndefined();
  await store.restore();
  expect(await store.webhooks.read()).toEqual(known);
});
