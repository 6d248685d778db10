import { expect, test } from 'vitest';
import { clusterOptions, nodesAt, sentinelOptions } from '../../../src/store/redis/driver-options.js';

test('the URL of the server gives its user, password and database, and the URLs of the sentinels give theirs', () => {
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

test('the nodes of a cluster are taken from the hosts and ports of the URLs', () => {
  expect(nodesAt(['redis://a', 'rediss://u:p@b.example:7000', 'redis://[::1]:7001'])).toEqual([
    { host: 'a', port: 6379 },
    { host: 'b.example', port: 7000 },
    { host: '::1', port: 7001 },
  ]);
});

test('every node of a cluster gets the user and the password of the URL', () => {
  const { redisOptions, dnsLookup } = clusterOptions('rediss://u:p%40ss@a', { tls: {} });
  expect(redisOptions).toEqual({ username: 'u', password: 'p@ss', tls: {} });
  // The certificate must match the name of the node.
  dnsLookup?.('node.example', (_, address) => expect(address).toBe('node.example'));
  expect(clusterOptions('redis://a', {}).redisOptions).toEqual({});
});
