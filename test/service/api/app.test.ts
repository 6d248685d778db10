import { expect, test } from 'vitest';
import { configOf, serving } from '../support.js';

test('the status of the service has its readiness, version, process, configuration, store and event loop', async () => {
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

test('health, metrics and the document of the API need no token, and all else does', async () => {
  const { ask } = await serving(configOf());
  const statusOf = async (path: string) => (await ask(path, { headers: { authorization: '' } })).status;
  for (const path of ['/healthz', '/readyz', '/metrics', '/v1/openapi.json', '/v1/session'])
    expect(await statusOf(path), path).toBe(200);
  for (const path of ['/v1/status', '/v1/sources', '/v1/destinations', '/v1/deletions', '/v1/audiences', '/v1/traits'])
    expect(await statusOf(path), path).toBe(401);
});
