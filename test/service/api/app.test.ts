import { describe, expect, onTestFinished, test } from 'vitest';
import type { ServiceConfig } from '../../../src/service/config/service-config.js';
import { Service } from '../../../src/service/service.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { serve } from '../../support/loopback.js';
import { ask as askAt, configOf, sendBatch, serving, TOKEN, track } from '../support.js';

test('the status of the service contains its readiness, version, process, configuration, store and event loop delays', async () => {
  const { ask } = await serving(configOf());
  const { status, body } = await ask('/v1/status');
  expect(status).toBe(200);
  expect(body).toEqual({
    readiness: { ready: true },
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    startedAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    process: process.pid,
    config: { loadedAt: expect.any(String) },
    store: { type: 'lmdb', bytes: 0, emptiedAt: null },
    eventLoopDelayMs: { p50: expect.any(Number), p99: expect.any(Number), max: expect.any(Number) },
  });
});

test('a service without a page has neither the page nor its feed', async () => {
  const { ask } = await serving(configOf());
  for (const path of ['/', '/v1/feed'])
    expect(await ask(path)).toMatchObject({ status: 404, body: { code: 'not_found' } });
});

test('only health and the description of the API need no token', async () => {
  const { ask } = await serving(configOf());
  const statusOf = async (path: string) => (await ask(path, { headers: { authorization: '' } })).status;
  for (const path of ['/healthz', '/readyz', '/v1/openapi.json', '/v1/session'])
    expect(await statusOf(path), path).toBe(200);
  for (const path of ['/metrics', '/v1/status', '/v1/sources', '/v1/destinations', '/v1/audiences', '/v1/traits'])
    expect(await statusOf(path), path).toBe(401);
});

describe('the metrics', () => {
  const METRICS_TOKEN = 'a-token-of-the-scraper';
  const statusWith = async (config: ServiceConfig, token: string): Promise<unknown> => {
    const { ask } = await serving(config);
    const { status, body } = await ask('/metrics', { headers: { authorization: token && `Bearer ${token}` } });
    return body.code ?? status;
  };

  test.each([
    ['their token', METRICS_TOKEN, 200],
    ["the admin's token", TOKEN, 200],
    ['another token', 'some-other-token-of-16', 'unauthorized'],
    ['no token', '', 'unauthorized'],
  ])('the metrics at the client address answer a request with %s', async (_, token, expected) => {
    expect(await statusWith(configOf({ metrics: { token: METRICS_TOKEN } }), token)).toBe(expected);
  });

  test('the metrics are disabled if neither token is configured', async () => {
    expect(await statusWith(configOf({ admin: {} }), '')).toBe('metrics_disabled');
  });

  test('the metrics have their own token, which gives access to nothing else', async () => {
    const { ask } = await serving(configOf({ metrics: { token: METRICS_TOKEN } }));
    const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
    expect((await ask('/v1/status', { headers })).status).toBe(401);
    expect((await ask('/v1/session', { method: 'POST', headers, json: { token: METRICS_TOKEN } })).status).toBe(401);
  });
});

describe('with `admin.listen`', () => {
  const config = configOf({ admin: { token: TOKEN, listen: { host: '127.0.0.1', port: 0 } } });
  const OF_ADMIN = ['/metrics', '/v1/status', '/v1/destinations', '/v1/session', '/v1/openapi.json'];

  test('with `admin.listen`, the client address serves only the collector and health, and the admin address serves everything else', async () => {
    const { ask, admin, url } = await serving(config);
    for (const path of ['/healthz', '/readyz'])
      expect([(await ask(path)).status, (await askAt(admin, path)).status], path).toEqual([200, 200]);
    for (const path of OF_ADMIN)
      expect([(await ask(path)).status, (await askAt(admin, path)).status], path).toEqual([404, 200]);
    expect((await sendBatch(url, track('m1'))).status).toBe(200);
    expect((await sendBatch(admin, track('m2'))).status).toBe(404);
  });

  test.each([
    ['without a token of their own', {}],
    ['with one', { token: 'a-token-of-the-scraper' }],
  ])(
    'the metrics at the address of `admin.listen` name customers only to requests with a token, %s',
    async (_, metrics) => {
      const { admin } = await serving({ ...config, metrics });
      expect((await askAt(admin, '/metrics', { headers: { authorization: '' } })).status).toBe(401);
    },
  );

  test('a program can mount the handlers of both addresses', async () => {
    const service = await Service.open(config, { storage: memoryStorage() });
    onTestFinished(() => service.close());
    const [clients, admin] = await Promise.all([serve(service.handler), serve(service.adminHandler)]);
    expect([(await askAt(clients, '/v1/status')).status, (await askAt(admin, '/v1/status')).status]).toEqual([
      404, 200,
    ]);
  });

  test('a closed service answers at neither address', async () => {
    const { service, url, admin } = await serving(config);
    await service.close();
    for (const address of [url, admin]) await expect(fetch(`${address}/healthz`)).rejects.toThrow();
  });

  test('the start fails if an address is already in use', async () => {
    const { admin } = await serving(config);
    const taken = { host: '127.0.0.1', port: Number(new URL(admin).port) };
    const service = await Service.open({ ...config, admin: { listen: taken } }, { storage: memoryStorage() });
    onTestFinished(() => service.close());
    await expect(service.listen()).rejects.toMatchObject({ code: 'EADDRINUSE', port: taken.port });
  });
});
