import { describe, expect, test } from 'vitest';
import { resolveOptions } from '../../../src/destination/options.js';
import { optionsOf } from '../../../src/service/config/destinations.js';
import { errorOf, mistakesWith, problemsOf, read } from './written.js';

const url = 'https://example.com/hook';
const source = (more: object = {}) => ({ name: 'shop', writeKeys: ['k1'], ...more });
const crm = (more: object = {}) => ({ name: 'crm', type: 'Webhooks', webhooks: [{ url }], ...more });

describe('a mistake in a configuration names the expected and the received value:', () => {
  test.each<[string, object, string]>([
    [
      'a key that is unknown',
      { sauces: [] },
      'sauces: one of listen, store, admin, log, sources, destinations, audiences, got an unknown key; did you mean sources?',
    ],
    ['a key like no other', { listen: { backlog: 5 } }, 'listen.backlog: one of host, port, got an unknown key'],
    [
      'a key of the other store',
      { store: { type: 'lmdb', prefix: 'a' } },
      'store.prefix: one of type, path, got an unknown key',
    ],
    ['a port', { listen: { port: 70_000 } }, 'listen.port: an integer from 0 to 65535, got number 70000'],
    ['a port with a point', { listen: { port: 80.5 } }, 'listen.port: an integer from 0 to 65535, got number 80.5'],
    ['a port in quotes', { listen: { port: '80' } }, 'listen.port: an integer from 0 to 65535, got string "80"'],
    [
      'a host',
      { listen: { host: 'http://a' } },
      'listen.host: an address or the name of a host, got string "http://a"',
    ],
    [
      'a host with its port',
      { listen: { host: '0.0.0.0:80' } },
      'listen.host: an address or the name of a host, got string "0.0.0.0:80"',
    ],
    ...[
      [{ deliveries: 'abc' }, 'keep.deliveries: an integer from 1 to 9007199254740991, got another string'],
      [{ delivery: 5 }, 'keep.delivery: one of deliveries, bytes, age, got an unknown key'],
      [5, 'keep: an object, or 0, got number 5'],
    ].map(([keep, mistake]): [string, object, string] => [
      `what to keep, as ${JSON.stringify(keep)}`,
      { destinations: [crm({ keep })] },
      `destinations[0].${mistake}`,
    ]),
    ['nothing where something is', { log: null }, 'log: an object, got null'],
    [
      'a log level',
      { log: { level: 'warning' } },
      "log.level: one of 'debug', 'info', 'warn', 'error', 'silent', got string \"warning\"",
    ],
    [
      'a short token',
      { admin: { token: 'fifteen letters' } },
      'admin.token: 16 or more visible ASCII characters, got another string',
    ],
    ['redis without its type', { store: { url: 'redis://cache' } }, 'store.url: one of type, path, got an unknown key'],
    ['a store of another type', { store: { type: 'sqlite' } }, "store.type: 'lmdb' or 'redis', got string \"sqlite\""],
    ['a store in one word', { store: 'lmdb' }, 'store: an object, got another string'],
    ['redis without a URL', { store: { type: 'redis' } }, 'store.url: a URL of redis or rediss, got nothing'],
    [
      'redis at another URL',
      { store: { type: 'redis', url: 'http://cache' } },
      'store.url: a URL of redis or rediss, got another string',
    ],
    [
      'redis at no URL',
      { store: { type: 'redis', url: 'redis://a:b:c' } },
      'store.url: a URL of redis or rediss, got another string',
    ],
    ['no sources', { sources: [] }, 'sources: a list of 1 or more, got an empty list'],
    [
      'no write keys',
      { sources: [source({ writeKeys: [] })] },
      'sources[0].writeKeys: a list of 1 or more, got an empty list',
    ],
    [
      'a write key alone',
      { sources: [source({ writeKeys: 'k1' })] },
      'sources[0].writeKeys: a list of 1 or more, got another string',
    ],
    [
      'a write key with a colon',
      { sources: [source({ writeKeys: ['a:b'] })] },
      'sources[0].writeKeys[0]: a non-empty string without a colon or control characters, got another string',
    ],
    [
      'a write key without quotes',
      { sources: [source({ writeKeys: [1234] })] },
      'sources[0].writeKeys[0]: a non-empty string without a colon or control characters, got a number; quotes make it text',
    ],
    [
      'a source without a name',
      { sources: [{ writeKeys: ['k1'] }] },
      'sources[0].name: 1 to 100 letters, digits, spaces, `.`, `_` and `-`, with a letter or a digit at both ends, got nothing',
    ],
    [
      'a name that is empty',
      { sources: [source({ name: '' })] },
      'sources[0].name: 1 to 100 letters, digits, spaces, `.`, `_` and `-`, with a letter or a digit at both ends, got an empty string',
    ],
    [
      'a name twice',
      { sources: [source(), source({ writeKeys: ['k2'] })] },
      'sources[1].name: a name of its own, got that of sources[0].name',
    ],
    [
      'a write key twice',
      { sources: [source(), source({ name: 'app' })] },
      'sources[1].writeKeys[0]: a key of its own, got that of sources[0].writeKeys[0]',
    ],
    [
      'a write key twice in one source',
      { sources: [source({ writeKeys: ['k1', 'k1'] })] },
      'sources[0].writeKeys[1]: a key of its own, got that of sources[0].writeKeys[0]',
    ],
    [
      'a destination that is not there',
      { sources: [source({ destinations: ['cmr'] })], destinations: [crm()] },
      'sources[0].destinations[0]: the name of a destination, got string "cmr"; did you mean crm?',
    ],
    [
      'a destination twice',
      { sources: [source({ destinations: ['crm', 'crm'] })], destinations: [crm()] },
      'sources[0].destinations[1]: a name that is there once, got that of sources[0].destinations[0]',
    ],
    [
      'audiences for nobody',
      { audiences: { destinations: ['lake'] } },
      'audiences.destinations[0]: the name of a destination, got string "lake"',
    ],
    [
      'a destination of the same name',
      { destinations: [crm(), crm()] },
      'destinations[1].name: a name of its own, got that of destinations[0].name',
    ],
    [
      'a destination of another type',
      { destinations: [crm({ type: 'webhooks' })] },
      'destinations[0].type: \'Webhooks\', got string "webhooks"',
    ],
    [
      'a wrong rule',
      { destinations: [crm({ settle: 'all' })] },
      "destinations[0].settle: one of 'any', 'each', got string \"all\"",
    ],
    [
      'a switch in words',
      { destinations: [crm({ enabled: 'yes' })] },
      'destinations[0].enabled: true or false, got another string',
    ],
    [
      'no webhooks',
      { destinations: [crm({ webhooks: [] })] },
      'destinations[0].webhooks: a list of 1 or more, got an empty list',
    ],
    [
      'six webhooks',
      { destinations: [crm({ webhooks: [1, 2, 3, 4, 5, 6].map((n) => ({ url: `${url}/${n}` })) })] },
      'destinations[0].webhooks: 1 to 5 webhooks, got 6',
    ],
    [
      'a URL for a webhook',
      { destinations: [crm({ webhooks: [url] })] },
      'destinations[0].webhooks[0]: an object, got another string',
    ],
    [
      'a URL twice',
      { destinations: [crm({ webhooks: [{ url }, { url: `${url}#2` }] })] },
      'destinations[0].webhooks[1].url: a URL of its own, got that of webhooks[0]',
    ],
    [
      'a private URL',
      { destinations: [crm({ webhooks: [{ url: 'http://10.0.0.1/' }] })] },
      'destinations[0].webhooks[0].url: at a public address, unless `allowCidrs` lets it be at another, got 10.0.0.1',
    ],
    [
      'a network',
      { destinations: [crm({ allowCidrs: ['10.1.2.3/8'] })] },
      'destinations[0].allowCidrs[0]: a network such as 10.20.0.0/16, all bits after its length 0, got string "10.1.2.3/8"',
    ],
    [
      'a reserved header',
      { destinations: [crm({ webhooks: [{ url, headers: { 'X-Signature': 'a' } }] })] },
      'destinations[0].webhooks[0].headers["X-Signature"]: a header of your own, got one that is reserved',
    ],
    [
      'standard headers without a secret',
      { destinations: [crm({ standardHeaders: true })] },
      'destinations[0].webhooks[0].secret: there when `standardHeaders` is on, here or as `sharedSecret`, got nothing',
    ],
  ])('%s', (_, part, mistake) => {
    expect(mistakesWith(part)).toEqual([mistake]);
  });

  test.each([['a'.repeat(101)], ['-shop'], ['shop.'], ['a/b'], ['größe'], ['a\nb']])(
    'a source cannot have the name %j',
    (name) => {
      expect(mistakesWith({ sources: [source({ name })] })).toHaveLength(1);
    },
  );

  test.each([['a'], ['Web shop'], ['eu-1_shop.example'], ['4'], ['a'.repeat(100)]])(
    'a source can have the name %j',
    (name) => {
      expect(read(JSON.stringify({ sources: [source({ name })] })).sources[0]?.name).toBe(name);
    },
  );

  test.each([['0.0.0.0'], ['::'], ['fe80::1%eth0'], ['localhost'], ['ferry.example.com']])(
    'the service can listen on the host %j',
    (host) => {
      expect(read(JSON.stringify({ sources: [source()], listen: { host } })).listen.host).toBe(host);
    },
  );
});

describe('a variable', () => {
  test('a variable that is not set is named', () => {
    expect(mistakesWith({ admin: { token: 'a${NOT_SET}b' } })).toEqual([
      'admin.token: the environment to have NOT_SET, got no such variable',
    ]);
  });

  test('a variable set to nothing is an empty text', () => {
    expect(mistakesWith({ listen: { host: '${EMPTY}' } }, { EMPTY: '' })).toEqual([
      'listen.host: an address or the name of a host, got what ${EMPTY} made of it',
    ]);
  });

  test('a reference with an invalid name is a mistake', () => {
    expect(mistakesWith({ listen: { host: '${a-b}' } })).toEqual([
      'listen.host: a name of letters, digits and _, or file:PATH, behind ${, or $${ for a plain one, got another text',
    ]);
  });

  test.each(['__proto__', 'constructor', 'toString'])('a variable is not found on the prototype: %s', (name) => {
    expect(mistakesWith({ listen: { host: `\${${name}}` } })).toHaveLength(1);
  });
});

test('every mistake is listed, in the order of the file, with its place', () => {
  const text = `listen:
  prot: 4100
sources:
  - name: shop
    writeKeys: [k1]
    destinations: [crm, lake]
  - writeKeys: [k2, k1]
destinations:
  - name: crm
    type: Webhooks
    sharedSecret: ""
    webhooks:
      - url: ftp://example.com/
        headers: { Host: a, "X A": b, X-C: "\\n" }
        requestTimeout: 0
      - url: https://ada:pw@example.com/
        secert: a
      - {}
      - url: ${url}
      - url: ${url}
      - url: http://127.0.0.1/
    standardHeaders: 1
`;
  expect(problemsOf(text).map(({ path, line, column }) => `${line}:${column} ${path}`)).toEqual([
    '2:3 listen.prot',
    '6:25 sources[0].destinations[1]',
    '7:5 sources[1].name',
    '7:21 sources[1].writeKeys[1]',
    '11:19 destinations[0].sharedSecret',
    '13:7 destinations[0].webhooks',
    '13:14 destinations[0].webhooks[0].url',
    '14:26 destinations[0].webhooks[0].headers.Host',
    '14:36 destinations[0].webhooks[0].headers["X A"]',
    '14:44 destinations[0].webhooks[0].headers["X-C"]',
    '15:25 destinations[0].webhooks[0].requestTimeout',
    '16:14 destinations[0].webhooks[1].url',
    '17:9 destinations[0].webhooks[1].secert',
    '18:9 destinations[0].webhooks[2].url',
    '20:14 destinations[0].webhooks[4].url',
    '22:22 destinations[0].standardHeaders',
  ]);
});

test('the old name of an option is told its new one, where it stands', () => {
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

test('a ConfigError lists the mistakes for a terminal', () => {
  const error = errorOf('listen: { port: -1 }\nsources: []\n');
  expect(error).toMatchObject({
    name: 'ConfigError',
    code: 'EVENTFERRY_SERVICE_INVALID_CONFIG',
    file: '/srv/eventferry.yaml',
  });
  expect(error.message).toBe(`2 mistakes in /srv/eventferry.yaml
  /srv/eventferry.yaml:1:17  listen.port: expected an integer from 0 to 65535, got number -1
  /srv/eventferry.yaml:2:10  sources: expected a list of 1 or more, got an empty list`);
  expect(errorOf('sources: []').message).toMatch(/^1 mistake in /);
});

test('a wrong network makes no mistakes of the URLs that it was to allow', () => {
  const destination = crm({
    allowCidrs: ['10.1.2.3/8', 'fd00::1/8'],
    webhooks: [{ url: 'http://10.1.2.3/' }, { url: 'http://[fd00::1]/' }],
  });
  expect(mistakesWith({ destinations: [destination] }).map((mistake) => mistake.split(':')[0])).toEqual([
    'destinations[0].allowCidrs[0]',
    'destinations[0].allowCidrs[1]',
  ]);
});

test('a destination takes the options of every valid configuration', () => {
  const { destinations } = read(
    JSON.stringify({
      sources: [source()],
      destinations: [
        crm({
          standardHeaders: true,
          sharedSecret: 'a',
          retryFor: 0,
          requestTimeout: 1,
          concurrency: 1,
          settle: 'each',
        }),
        crm({
          name: 'b',
          allowLoopback: true,
          allowCidrs: [],
          webhooks: [{ url: 'http://127.0.0.1/', headers: { A: 'b' } }],
        }),
      ],
    }),
  );
  for (const destination of destinations) expect(() => resolveOptions(optionsOf(destination))).not.toThrow();
});
