import { expect, test } from 'vitest';
import { redisStorage } from '../../../src/store/redis/redis-storage.js';

test.each<[string, unknown, string]>([
  ['nothing', undefined, 'options'],
  ['a number', 5, 'options'],
  ['an unknown name', { host: 'localhost' }, 'host'],
  ['a prefix that is no text', { url: 'redis://a', prefix: 5 }, 'prefix'],
  ['half a replica', { url: 'redis://a', waitForReplicas: 0.5 }, 'waitForReplicas'],
  ['a switch that is text', { url: 'redis://a', waitForDisk: 'no' }, 'waitForDisk'],
  ['the path of an authority', { url: 'rediss://a', ca: '/etc/ca.pem' }, 'ca'],
  ['nodes that are no list', { cluster: 5 }, 'cluster'],
])('redisStorage refuses %s and names the option', async (_, options, option) => {
  const refused = { name: 'OptionError', code: 'EVENTFERRY_STORE_INVALID_OPTION', option };
  await expect(redisStorage(options as never)).rejects.toMatchObject(refused);
});

test('redisStorage never shows a wrong address, because it may contain a password', async () => {
  const error: unknown = await redisStorage({ url: 42, ca: 43 } as never).catch((thrown: unknown) => thrown);
  expect(String(error)).not.toMatch(/4[23]/);
});
