import { expect, test } from 'vitest';
import { mistakesWith, read } from './written.js';

const url = 'https://example.com/hook';
const source = (more: object = {}) => ({ name: 'shop', writeKeys: ['k1'], ...more });
const crm = (more: object = {}) => ({ name: 'crm', type: 'Webhooks', webhooks: [{ url }], ...more });

test.each<[string, object, string]>([
  ['a wrong port', { listen: { port: 70_000 } }, 'listen.port: an integer from 0 to 65535, got number 70000'],
  [
    'a port with a decimal point',
    { listen: { port: 80.5 } },
    'listen.port: an integer from 0 to 65535, got number 80.5',
  ],
  ['a port in quotes', { listen: { port: '80' } }, 'listen.port: an integer from 0 to 65535, got string "80"'],
  [
    'a number as an address',
    { listen: { host: '256.1.1.1' } },
    'listen.host: an address or the name of a host, got string "256.1.1.1"',
  ],
  [
    'a host that looks like an option',
    { listen: { host: '-a' } },
    'listen.host: an address or the name of a host, got string "-a"',
  ],
  [
    'a public URL with a blank',
    { admin: { publicUrl: 'https://a.example/the page' } },
    'admin.publicUrl: an absolute URL of http or https without credentials, query or fragment, got a string, which is not shown as it may be a secret',
  ],
  ...['user:hunter2@a.example', 'a.example/?page=1', 'a.example/#page'].map((rest): [string, object, string] => [
    `the public URL https://${rest}`,
    { admin: { publicUrl: `https://${rest}` } },
    'admin.publicUrl: an absolute URL of http or https without credentials, query or fragment, got a string, which is not shown as it may be a secret',
  ]),
  ['a host', { listen: { host: 'http://a' } }, 'listen.host: an address or the name of a host, got string "http://a"'],
  [
    'a host with its port',
    { listen: { host: '0.0.0.0:80' } },
    'listen.host: an address or the name of a host, got string "0.0.0.0:80"',
  ],
  [
    'a wrong size of the history',
    { history: { maxBytes: '1 GB' } },
    'history.maxBytes: an integer from 0 up, got a string, which is not shown as it may be a secret',
  ],
  [
    'a number for keepAttempts',
    { destinations: [crm({ keepAttempts: 0 })] },
    'destinations[0].keepAttempts: true or false, got number 0',
  ],
  ['null in place of an object', { log: null }, 'log: an object, got null'],
  [
    'an unknown log level',
    { log: { level: 'warning' } },
    "log.level: one of 'debug', 'info', 'warn', 'error', 'silent', got string \"warning\"",
  ],
  [
    'a short token',
    { admin: { token: 'fifteen letters' } },
    'admin.token: 16 or more visible ASCII characters, got a string, which is not shown as it may be a secret',
  ],
  ['no sources', { sources: [] }, 'sources: a list of 1 or more, got an empty list'],
  [
    'no write keys',
    { sources: [source({ writeKeys: [] })] },
    'sources[0].writeKeys: a list of 1 or more, got an empty list',
  ],
  [
    'a write key that is not in a list',
    { sources: [source({ writeKeys: 'k1' })] },
    'sources[0].writeKeys: a list of 1 or more, got a string, which is not shown as it may be a secret',
  ],
  [
    'a write key with a colon',
    { sources: [source({ writeKeys: ['a:b'] })] },
    'sources[0].writeKeys[0]: a non-empty string without a colon or control characters, got a string, which is not shown as it may be a secret',
  ],
  [
    'a write key that comes from a missing value',
    { sources: [source({ writeKeys: ['undefined'] })] },
    'sources[0].writeKeys[0]: a non-empty string without a colon or control characters, got a string, which is not shown as it may be a secret',
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
    'a destination of another type',
    { destinations: [crm({ type: 'webhooks' })] },
    'destinations[0].type: \'Webhooks\', got string "webhooks"',
  ],
  [
    'a destination with the name all',
    { destinations: [crm({ name: 'all' })] },
    'destinations[0].name: another name than `all`, which means all of them, got string "all"',
  ],
  [
    'an unknown settle rule',
    { destinations: [crm({ settle: 'all' })] },
    "destinations[0].settle: one of 'any', 'each', got string \"all\"",
  ],
  [
    'a boolean in words',
    { destinations: [crm({ enabled: 'yes' })] },
    'destinations[0].enabled: true or false, got a string, which is not shown as it may be a secret',
  ],
  [
    'no webhooks',
    { destinations: [crm({ webhooks: [] })] },
    'destinations[0].webhooks: 1 to 5 webhooks, got an empty list',
  ],
  [
    'a URL in place of a webhook',
    { destinations: [crm({ webhooks: [url] })] },
    'destinations[0].webhooks[0]: an object, got a string, which is not shown as it may be a secret',
  ],
])('the schema refuses %s', (_, part, mistake) => {
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
