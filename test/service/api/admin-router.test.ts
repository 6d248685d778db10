import { expect, test } from 'vitest';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { configOf, destinationOf, serving } from '../support.js';

test('an unsupported method is refused with the supported ones, and an unknown path is not found', async () => {
  const { ask } = await serving(configOf());
  const wrong = await ask('/v1/status', { method: 'POST', json: {} });
  expect({ status: wrong.status, allow: wrong.headers.get('allow') }).toEqual({ status: 405, allow: 'GET, HEAD' });
  expect((await ask('/v1/nothing')).body.code).toBe('not_found');
  expect((await ask('/v1/status/nothing')).status).toBe(404);
});

test('a call that fails because of the store is answered 503 with Retry-After', async () => {
  const storage = memoryStorage();
  const { ask } = await serving(configOf({ destinations: [destinationOf('http://127.0.0.1:9/')] }), { storage });
  storage.keyValues.write = async () => Promise.reject(new Error('no space left on device'));
  for (const [method, path, json] of [
    ['PUT', '/v1/destinations/crm/enabled', { enabled: false }],
    ['POST', '/v1/deletions', { userIds: ['u1'] }],
  ] as const) {
    const { status, body, headers } = await ask(path, { method, json });
    expect({ status, code: body.code, again: headers.get('retry-after') }).toEqual({
      status: 503,
      code: 'not_done',
      again: '5',
    });
  }
});
