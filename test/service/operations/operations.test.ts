import { expect, test } from 'vitest';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { RedisUnfitError, StoreFullError } from '../../../src/store/store-errors.js';
import { recordingLog } from '../recording-log.js';
import { configOf, metricsAt, serving } from '../support.js';

test('/healthz and /readyz answer 200 while the service accepts messages', async () => {
  const { url } = await serving(configOf());
  for (const path of ['/healthz', '/readyz']) {
    const response = await fetch(url + path);
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
  }
});

test('/readyz answers 503 while the store fails, and the log contains the reason', async () => {
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

test.each([
  [
    new StoreFullError('/data', 3 * 2 ** 20),
    { code: 'store-full', reason: 'The store takes no new events: 3 MB are free' },
  ],
  [
    new RedisUnfitError('connected_slaves', '1', '0'),
    {
      code: 'store-unfit',
      reason: 'Redis needs `connected_slaves 1`, or it loses what it accepted; it has `connected_slaves 0`',
    },
  ],
  [new Error('gone'), { code: 'store-failed', reason: 'The store cannot be read or written' }],
])('status and metrics report first that no messages are accepted, and why: %s', async (error, expected) => {
  const storage = memoryStorage();
  const { url, ask } = await serving(configOf(), { storage });
  expect((await ask('/v1/status')).body.readiness).toEqual({ ready: true });
  const scrape = async (): Promise<string> => metricsAt(url);
  const isFirst = (text: string): boolean => text.startsWith('# HELP eventferry_ready ');
  const taking = await scrape();
  expect(isFirst(taking)).toBe(true);
  expect(taking).toContain('\neventferry_ready 1\n');
  expect(taking).toContain(`\neventferry_not_ready{reason="${expected.code}"} 0\n`);
  storage.check = () => Promise.reject(error);
  storage.size = () => Promise.reject(error);
  const { body, status } = await ask('/v1/status');
  expect(status).toBe(200);
  expect(Object.entries(body)[0]).toEqual(['readiness', { ready: false, ...expected }]);
  expect(body.store.bytes).toBeNull();
  const refusing = await scrape();
  expect(isFirst(refusing)).toBe(true);
  expect(refusing).toContain('\neventferry_ready 0\n');
  expect(refusing).toContain(`\neventferry_not_ready{reason="${expected.code}"} 1\n`);
});
