import { expect, test } from 'vitest';
import { checkOptions } from '../../../src/base/options/check-options.js';
import { addressOf } from '../../../src/store/redis/redis-address.js';
import { REDIS_RULES, type RedisStorageOptions } from '../../../src/store/redis/redis-storage-options.js';

test('an address on Redis is one server or some nodes of a cluster', () => {
  expect(addressOf({ url: 'rediss://:sesame@a:1' })).toEqual({ url: 'rediss://:sesame@a:1' });
  const nodes = ['redis://u:sesame@a:1', 'redis://u:sesame@b:1'];
  expect(addressOf({ cluster: nodes, partitions: 4 })).toEqual({ nodes });
});

test('an address on Redis may be the name under which sentinels watch a master', () => {
  const address = { url: 'redis://:sesame@mymaster/2', sentinels: ['redis://:other@a', 'redis://:other@b:1'] };
  expect(addressOf(address)).toEqual(address);
});

test.each([
  ['no address', {}, 'url'],
  ['one of something else', { url: 'http://:sesame@a' }, 'url'],
  ['two', { url: 'redis://a', cluster: ['redis://b'] }, 'cluster'],
  ['no partition', { cluster: ['redis://a'], partitions: 0 }, 'partitions'],
  ['too many partitions', { cluster: ['redis://a'], partitions: 257 }, 'partitions'],
  ['partitions of one server', { url: 'redis://a', partitions: 4 }, 'partitions'],
  ['a cluster without nodes', { cluster: [] }, 'cluster'],
  ['nodes of something else', { cluster: ['redis://a', 'http://:sesame@a'] }, 'cluster'],
  ['nodes with different passwords', { cluster: ['redis://:sesame@a', 'redis://:other@b'] }, 'cluster'],
  ['sentinels and a cluster', { cluster: ['redis://a'], sentinels: ['redis://b'] }, 'sentinels'],
  ['sentinels and no name', { sentinels: ['redis://b'] }, 'url'],
  ['a port beside sentinels', { url: 'redis://:sesame@mymaster:6379', sentinels: ['redis://b'] }, 'url'],
  ['no sentinel', { url: 'redis://:sesame@mymaster', sentinels: [] }, 'sentinels'],
  [
    'sentinels with different passwords',
    { url: 'redis://m', sentinels: ['redis://:sesame@a', 'redis://b'] },
    'sentinels',
  ],
  ['partitions beside sentinels', { url: 'redis://m', sentinels: ['redis://a'], partitions: 4 }, 'partitions'],
  ['nodes with and without TLS', { cluster: ['redis://:sesame@a', 'rediss://:sesame@b'] }, 'cluster'],
])('an address on Redis is refused with %s, and no password is shown', (_, options, option) => {
  const refusal = (): unknown => {
    try {
      return addressOf(checkOptions<RedisStorageOptions>(options, REDIS_RULES, { door: 'store' }));
    } catch (error) {
      return error;
    }
  };
  expect(refusal()).toMatchObject({ code: 'EVENTFERRY_STORE_INVALID_OPTION', option });
  expect(String(refusal())).not.toMatch(/sesame|other/);
});
