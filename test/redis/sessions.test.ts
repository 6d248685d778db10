import { expect, test } from 'vitest';
import { ask, configOf, serving, TOKEN } from '../service/support.js';
import { openStorage, startRedis } from './storage.js';

test('a session that is signed out on one machine also ends on the others', async () => {
  const redis = await startRedis();
  const [one, other] = [await openStorage(redis, 'shared'), await openStorage(redis, 'shared')];
  const [here, there] = [await serving(configOf(), { storage: one }), await serving(configOf(), { storage: other })];
  const opened = await ask(here.url, '/v1/session', { method: 'POST', json: { token: TOKEN } });
  const headers = { authorization: '', cookie: opened.headers.get('set-cookie')?.split(';')[0] ?? '' };
  expect((await ask(there.url, '/v1/status', { headers })).status).toBe(200);
  expect((await ask(here.url, '/v1/session', { method: 'DELETE', headers })).status).toBe(204);
  expect((await ask(there.url, '/v1/status', { headers })).status).toBe(401);
});
