import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { openStorage, startRedis } from './storage.js';

test('an error of Redis contains no stored data', async () => {
  const server = await startRedis({ maxmemory: '3mb' });
  const { keyValues } = await openStorage(server);
  const secret = 'secret'.repeat(1_000_000);
  await keyValues.write([{ key: 'a/1', value: secret }]).catch(() => undefined);
  const error = await keyValues.write([{ key: 'a/2', value: secret }]).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'EVENTFERRY_STORE_REDIS_FAILED', message: expect.stringContaining('OOM') });
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('secret');
});
