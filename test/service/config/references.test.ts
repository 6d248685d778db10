import { describe, expect, test } from 'vitest';
import { mistakesWith, readValue } from './written.js';

const url = 'https://example.com/hook';
const source = (more: object = {}) => ({ name: 'shop', writeKeys: ['k1'], ...more });
const crm = (more: object = {}) => ({ name: 'crm', type: 'Webhooks', webhooks: [{ url }], ...more });

test.each<[string, object, string]>([
  [
    'a name twice',
    { sources: [source(), source({ writeKeys: ['k2'] })] },
    'sources[1].name: a unique name, got that of sources[0].name',
  ],
  [
    'a write key twice',
    { sources: [source(), source({ name: 'app' })] },
    'sources[1].writeKeys[0]: a unique token or write key, got that of sources[0].writeKeys[0]',
  ],
  [
    'an admin token twice',
    { admin: { token: 'the-token-of-admin', tokens: [{ name: 'ana', token: 'the-token-of-admin' }] } },
    'admin.tokens[0].token: a unique token or write key, got that of admin.token',
  ],
  [
    'the token of the metrics equal to one of admin',
    { admin: { tokens: [{ name: 'ana', token: 'the-token-of-ana-1' }] }, metrics: { token: 'the-token-of-ana-1' } },
    'metrics.token: a unique token or write key, got that of admin.tokens[0].token',
  ],
  [
    'a write key equal to a token',
    { admin: { token: 'the-token-of-admin' }, sources: [source({ writeKeys: ['the-token-of-admin'] })] },
    'sources[0].writeKeys[0]: a unique token or write key, got that of admin.token',
  ],
  [
    'a token with the name of admin.token',
    { admin: { token: 'the-token-of-admin', tokens: [{ name: 'admin', token: 'the-token-of-ana-1' }] } },
    'admin.tokens[0].name: a unique name, got that of admin.token',
  ],
  [
    'a token with the name under which reloads are listed',
    { admin: { tokens: [{ name: 'configuration', token: 'the-token-of-ana-1' }] } },
    'admin.tokens[0].name: another name than `configuration`, under which reloads are listed, got a string, which is not shown as it may be a secret',
  ],
  [
    'the name of an admin token twice',
    {
      admin: {
        tokens: [
          { name: 'ana', token: 'the-token-of-ana-1' },
          { name: 'ana', token: 'the-token-of-ana-2' },
        ],
      },
    },
    'admin.tokens[1].name: a unique name, got that of admin.tokens[0].name',
  ],
  [
    'a write key twice in one source',
    { sources: [source({ writeKeys: ['k1', 'k1'] })] },
    'sources[0].writeKeys[1]: a unique token or write key, got that of sources[0].writeKeys[0]',
  ],
  [
    'an unknown destination',
    { sources: [source({ destinations: ['cmr'] })], destinations: [crm()] },
    'sources[0].destinations[0]: the name of a destination, got string "cmr"; did you mean crm?',
  ],
  [
    'a destination twice',
    { sources: [source({ destinations: ['crm', 'crm'] })], destinations: [crm()] },
    'sources[0].destinations[1]: each destination once, got that of sources[0].destinations[0]',
  ],
  [
    'an unknown destination of audiences',
    { audiences: { destinations: ['lake'] } },
    'audiences.destinations[0]: the name of a destination, got string "lake"',
  ],
  [
    'two destinations with the same name',
    { destinations: [crm(), crm()] },
    'destinations[1].name: a unique name, got that of destinations[0].name',
  ],
])('a configuration is refused because of %s', (_, part, mistake) => {
  expect(mistakesWith(part)).toEqual([mistake]);
});

describe('the address of the admin API', () => {
  test.each([
    [{ port: 4100 }, { port: 4100 }],
    [
      { host: '10.0.0.1', port: 4200 },
      { host: '0.0.0.0', port: 4200 },
    ],
    [
      { host: '::', port: 4200 },
      { host: '127.0.0.1', port: 4200 },
    ],
    [{ port: 4101 }, {}],
  ])('the admin API must not use the same port as the clients: %j and %j', (listen, adminListen) => {
    const { port } = { ...listen, ...adminListen };
    expect(mistakesWith({ listen, admin: { listen: adminListen } })).toEqual([
      `admin.listen.port: another port than that of listen, got ${port}`,
    ]);
  });

  test.each([
    [{}, {}],
    [{ port: 0 }, { port: 0 }],
    [
      { host: '10.0.0.1', port: 4200 },
      { host: '127.0.0.1', port: 4200 },
    ],
  ])('while clients use the address %j, the admin API may listen on %j', (listen, adminListen) => {
    const sources = [source({})];
    expect(readValue({ sources, listen, admin: { listen: adminListen } }).admin.listen).toMatchObject(adminListen);
  });
});
