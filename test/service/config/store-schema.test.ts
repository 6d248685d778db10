import { expect, test } from 'vitest';
import { mistakesWith, readValue } from './written.js';

test.each<[string, object, string]>([
  ['a store of another type', { store: { type: 'sqlite' } }, "store.type: 'lmdb' or 'redis', got string \"sqlite\""],
  [
    'a store that is a string',
    { store: 'lmdb' },
    'store: an object, got a string, which is not shown as it may be a secret',
  ],
  [
    'redis without a URL',
    { store: { type: 'redis' } },
    'store.url: a URL of a Redis server, redis:// or rediss://, with no path but the number of a database and no parameters but db, family, connectTimeout, path, got nothing',
  ],
  [
    'redis with a URL of another scheme',
    { store: { type: 'redis', url: 'http://cache' } },
    'store.url: a URL of a Redis server, redis:// or rediss://, with no path but the number of a database and no parameters but db, family, connectTimeout, path, got a string, which is not shown as it may be a secret',
  ],
  [
    'redis with a text that is not a URL',
    { store: { type: 'redis', url: 'redis://a:b:c' } },
    'store.url: a URL of a Redis server, redis:// or rediss://, with no path but the number of a database and no parameters but db, family, connectTimeout, path, got a string, which is not shown as it may be a secret',
  ],
  ...[
    'redis://a/abc',
    'redis://a/1.5',
    'redis://a/1/2',
    'redis://a?db=x',
    'redis://a?keyPrefix=x',
    'redis://a?lazyConnect=false',
    'redis://a?constructor=x',
    'redis://a?family=5',
    'redis://a?connectTimeout=soon',
    'redis://a#b',
    'redis://a:0',
    'redis://:%ff@a',
    'REDISS://a',
  ].map((url): [string, object, string] => [
    `redis at ${url}, which the library misreads`,
    { store: { type: 'redis', url } },
    'store.url: a URL of a Redis server, redis:// or rediss://, with no path but the number of a database and no parameters but db, family, connectTimeout, path, got a string, which is not shown as it may be a secret',
  ]),
  [
    'a database in a cluster',
    { store: { type: 'redis', cluster: ['redis://a/1'] } },
    'store.cluster[0]: a URL without a database or parameters, got a string, which is not shown as it may be a secret',
  ],
  [
    'a parameter of a node',
    { store: { type: 'redis', cluster: ['redis://a?family=6'] } },
    'store.cluster[0]: a URL without a database or parameters, got a string, which is not shown as it may be a secret',
  ],
  [
    'redis with both a URL and a cluster',
    { store: { type: 'redis', url: 'redis://a', cluster: ['redis://b'] } },
    'store.cluster: nothing beside `url`, got a list',
  ],
  [
    'partitions for a single server',
    { store: { type: 'redis', url: 'redis://a', partitions: 4 } },
    'store.partitions: nothing without `cluster`: one server has one partition, got number 4',
  ],
  [
    'a cluster without nodes',
    { store: { type: 'redis', cluster: [] } },
    'store.cluster: a list of 1 or more, got an empty list',
  ],
  [
    'a cluster node that is not Redis',
    { store: { type: 'redis', cluster: ['redis://a', 'http://:hunter2@b'] } },
    'store.cluster[1]: a URL of a Redis server, redis:// or rediss://, with no path but the number of a database and no parameters but db, family, connectTimeout, path, got a string, which is not shown as it may be a secret',
  ],
  [
    'the path of a certificate instead of its content',
    { store: { type: 'redis', url: 'rediss://a', ca: 'redis-ca.pem' } },
    'store.ca: a certificate in PEM, got a string, which is not shown as it may be a secret',
  ],
  [
    'a certificate that is damaged',
    {
      store: {
        type: 'redis',
        url: 'rediss://a',
        ca: '-----BEGIN CERTIFICATE-----\nhunter2\n-----END CERTIFICATE-----',
      },
    },
    'store.ca: a certificate in PEM, got a string, which is not shown as it may be a secret',
  ],
  [
    'a port beside sentinels',
    { store: { type: 'redis', url: 'redis://mymaster:6379', sentinels: ['redis://a'] } },
    'store.url: redis:// or rediss:// with the name of the master that the sentinels watch in place of the host, and without a port, got a string, which is not shown as it may be a secret',
  ],
  [
    'sentinels beside a cluster',
    { store: { type: 'redis', cluster: ['redis://a'], sentinels: ['redis://a'] } },
    'store.sentinels: nothing beside `cluster`, got a list',
  ],
])('the schema refuses %s', (_, part, mistake) => {
  expect(mistakesWith(part)).toEqual([mistake]);
});

test.each([
  'redis://a',
  'redis://a/',
  'redis://a:6380/15',
  'redis://[::1]:6379/0',
  'redis://a?family=6',
  'redis://a/2?family=6&connectTimeout=500',
  'redis://a?db=3',
  'redis:///1',
  'redis://?path=/run/redis.sock',
  'rediss://user:p%40ss@a:6379/1',
])('the schema accepts %s', (url) => {
  const sources = [{ name: 'shop', writeKeys: ['k1'] }];
  expect(readValue({ store: { type: 'redis', url }, sources }).store).toMatchObject({ url });
});

test('the schema accepts a master that sentinels name', () => {
  const store = { type: 'redis', url: 'redis://:p@mymaster', sentinels: ['redis://a', 'redis://b:26380'] };
  const sources = [{ name: 'shop', writeKeys: ['k1'] }];
  expect(readValue({ store, sources }).store).toEqual({ ...store, prefix: 'eventferry' });
});

test('the schema accepts a Redis cluster', () => {
  const nodes = ['rediss://u:p@a:7000', 'rediss://u:p@b:7000'];
  const store = { type: 'redis', cluster: nodes, partitions: 32, waitForReplicas: 1 };
  const sources = [{ name: 'shop', writeKeys: ['k1'] }];
  expect(readValue({ store, sources }).store).toEqual({ ...store, prefix: 'eventferry' });
});
