import { expect, test } from 'vitest';
import { clusterOptions, nodesAt } from '../../../src/store/redis/cluster-options.js';

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
