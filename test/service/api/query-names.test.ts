import { expect, test } from 'vitest';
import { checkQueryNames } from '../../../src/service/api/query-names.js';
import { configOf, destinationOf, serving } from '../support.js';

test.each([
  ['/v1/deliveries?usr=u1', '`usr` is no parameter here; this takes destination, id, user, event, '],
  ['/v1/jobs?Limit=5', '`Limit` is no parameter here; this takes limit, after'],
  ['/v1/destinations?user=u1', '`user` is no parameter here; this takes q, state, sort, '],
])('a name that a path does not know, as in %s, is refused with those that it knows', async (path, message) => {
  const { ask } = await serving(configOf({ destinations: [destinationOf('http://127.0.0.1:9/hook')] }));
  const { status, body } = await ask(path);
  expect({ status, ...body }).toEqual({
    status: 400,
    code: 'invalid_query',
    message: expect.stringContaining(message),
  });
});

test('health and metrics take any query, as proxies add one', async () => {
  const { ask } = await serving(configOf());
  for (const path of ['/healthz', '/metrics']) expect((await ask(`${path}?t=1`)).status).toBe(200);
});

test('a long name is told shortened', () => {
  expect(() => checkQueryNames('GET /v1/status', ['x'.repeat(500)])).toThrow(/`x{30,45}…?/);
});

test('the feed takes where the page goes on', () => {
  expect(() => checkQueryNames('GET /v1/feed', ['source', 'after'])).not.toThrow();
});
