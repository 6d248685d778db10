import { expect, test } from 'vitest';
import { sentinelOptions } from '../../../src/store/redis/sentinel-options.js';

test('user, password and database of the server come from its URL, those of the sentinels from theirs', () => {
  const sentinels = ['redis://watch:se%2Fcret@10.0.0.1', 'redis://watch:se%2Fcret@[::1]:5000'] as const;
  expect(sentinelOptions({ url: 'redis://shop:pass%40word@mymaster/3', sentinels }, undefined)).toMatchObject({
    name: 'mymaster',
    role: 'master',
    db: 3,
    username: 'shop',
    password: 'pass@word',
    sentinelUsername: 'watch',
    sentinelPassword: 'se/cret',
    sentinels: [
      { host: '10.0.0.1', port: 26_379 },
      { host: '::1', port: 5_000 },
    ],
  });
});

test('servers and sentinels use TLS according to their own URLs, with one authority for both', () => {
  const secure = { tls: { ca: 'PEM' }, enableTLSForSentinelMode: true };
  const open = sentinelOptions({ url: 'redis://m', sentinels: ['redis://a'] }, 'PEM');
  expect(open).not.toHaveProperty('tls');
  expect(open).not.toHaveProperty('sentinelTLS');
  const server = sentinelOptions({ url: 'rediss://m', sentinels: ['redis://a'] }, 'PEM');
  expect(server).toMatchObject(secure);
  expect(server).not.toHaveProperty('sentinelTLS');
  const both = sentinelOptions({ url: 'rediss://m', sentinels: ['rediss://a'] }, 'PEM');
  expect(both).toMatchObject({ ...secure, sentinelTLS: { ca: 'PEM' } });
});
