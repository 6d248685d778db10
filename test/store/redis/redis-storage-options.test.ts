import { expect, test } from 'vitest';
import { checkOptions } from '../../../src/base/options/check-options.js';
import { REDIS_RULES, type RedisStorageOptions } from '../../../src/store/redis/redis-storage-options.js';

const check = (options: unknown): RedisStorageOptions =>
  checkOptions<RedisStorageOptions>(options, REDIS_RULES, { door: 'store' });

test.each([
  ['url', 'http://:sesame@a'],
  ['sentinels', []],
  ['sentinels', ['redis://:sesame@a/2']],
  ['cluster', 'redis://:sesame@a'],
  ['cluster', ['redis://a', 'http://:sesame@b']],
  ['partitions', 0],
  ['partitions', 257],
  ['ca', ''],
  ['prefix', 5],
  ['waitForDisk', 'sesame'],
  ['waitForReplicas', -1],
  ['onWarning', 'log'],
])('an option of a storage on Redis is refused: %s: %j', (option, value) => {
  const refused = (): unknown => check({ [option]: value });
  expect(refused).toThrow(expect.objectContaining({ code: 'EVENTFERRY_STORE_INVALID_OPTION', option }));
});

test('the error for a wrong URL does not show the password in it', () => {
  for (const options of [{ url: 'http://:sesame@a' }, { cluster: ['http://:sesame@a'] }, { sentinels: ['x:sesame'] }]) {
    expect(() => check(options)).toThrow();
    expect(() => check(options)).not.toThrow(/sesame/);
  }
});

test('every option of a storage on Redis is accepted together with the others of its kind', () => {
  const options = { url: 'rediss://:sesame@a', prefix: 'p', waitForDisk: true, waitForReplicas: 2, onWarning() {} };
  expect(check(options)).toEqual(options);
});
