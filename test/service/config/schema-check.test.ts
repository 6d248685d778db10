import { expect, test } from 'vitest';
import { mistakesWith, problemsOf } from './written.js';

const url = 'https://example.com/hook';

test.each<[string, object, string]>([
  [
    'a key that is unknown',
    { sauces: [] },
    'sauces: one of listen, store, admin, log, metrics, history, sources, destinations, audiences, got an unknown key; did you mean sources?',
  ],
  [
    'a key that resembles no other',
    { listen: { backlog: 5 } },
    'listen.backlog: one of host, port, trustedProxies, got an unknown key',
  ],
  [
    'a key of the other store',
    { store: { type: 'lmdb', prefix: 'a' } },
    'store.prefix: one of type, path, lockTimeout, got an unknown key',
  ],
  [
    'redis without its type',
    { store: { url: 'redis://cache' } },
    'store.url: one of type, path, lockTimeout, got an unknown key',
  ],
])('the check of keys refuses %s', (_, part, mistake) => {
  expect(mistakesWith(part)).toEqual([mistake]);
});

test('an error about an unknown option suggests the intended name, with its place', () => {
  const text = `sources:
  - name: shop
    writeKeys: [k1]
destinations:
  - name: crm
    type: Webhooks
    retryWindow: 1000
    timeout: 1000
    webhooks:
      - url: ${url}
        timeout: 1000
`;
  expect(problemsOf(text).map(({ path, line, column, received }) => `${line}:${column} ${path}: ${received}`)).toEqual([
    '7:5 destinations[0].retryWindow: an unknown key; did you mean retryFor?',
    '8:5 destinations[0].timeout: an unknown key; did you mean requestTimeout?',
    '11:9 destinations[0].webhooks[0].timeout: an unknown key; did you mean requestTimeout?',
  ]);
});
