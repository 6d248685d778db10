import { expect, test } from 'vitest';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { recordingLog } from '../recording-log.js';
import { configOf, serving } from '../support.js';

test('/healthz and /readyz answer 200 while the service takes messages', async () => {
  const { url } = await serving(configOf());
  for (const path of ['/healthz', '/readyz']) {
    const response = await fetch(url + path);
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
  }
});

test('/readyz answers 503 while the store fails, and the log has the reason', async () => {
  const storage = memoryStorage();
  const log = recordingLog();
  const { url } = await serving(configOf(), { storage, log });
  storage.check = async () => Promise.reject(new Error('no space left on device'));
  const response = await fetch(`${url}/readyz`);
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual({ code: 'not_ready', message: 'The store cannot be read or written' });
  expect(log.lines).toContainEqual(expect.objectContaining({ level: 'error', error: 'no space left on device' }));
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});
