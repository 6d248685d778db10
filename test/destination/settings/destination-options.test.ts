import { describe, expect, test } from 'vitest';
import { OptionError } from '../../../src/base/errors/errors.js';
import { Destination, lmdbStore } from '../../../src/destination/index.js';
import { type DestinationOptions, resolveOptions } from '../../../src/destination/settings/destination-options.js';
import { OUR_HEADERS } from '../../../src/signature/delivery-headers.js';
import { SCHEME_LIST, SCHEME_NAMES, schemes } from '../../../src/signature/schemes.js';

const url = 'https://example.com/hook';
const webhooks = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ url: `https://example.com/${index}` }));

describe('settings', () => {
  test('settings need one URL, and have a default for everything else', () => {
    const { webhooks, ...rest } = resolveOptions({ webhooks: [{ url }] });
    expect(webhooks).toEqual([
      { id: undefined, url: new URL(url).href, headers: {}, secret: undefined, timeoutMs: 5_000 },
    ]);
    expect(rest).toEqual({
      name: '',
      settle: 'any',
      isOrdered: false,
      retryForMs: 14_400_000,
      enabled: true,
      schemes: [schemes['x-signature']],
      concurrency: 64,
      backlogLimit: {
        events: Number.POSITIVE_INFINITY,
        bytes: Number.POSITIVE_INFINITY,
        ageMs: Number.POSITIVE_INFINITY,
      },
      deadLetterLimit: { events: 1_000_000, bytes: 10_000_000_000, ageMs: 2_592_000_000 },
      keepsAnswers: true,
      allowed: [],
    });
  });

  test('an undefined setting has its default', () => {
    const given = {
      webhooks: [{ url, headers: undefined, secret: undefined, requestTimeout: undefined }],
      requestTimeout: undefined,
      settle: undefined,
    };
    expect(resolveOptions(given).webhooks[0]?.timeoutMs).toBe(5_000);
  });

  test('a webhook’s own secret and timeout have precedence over the shared ones', () => {
    const given = {
      webhooks: [{ url, secret: 'own', requestTimeout: 1_000 }, { url: `${url}/2` }],
      sharedSecret: 'shared',
      requestTimeout: 2_000,
    };
    const [first, second] = resolveOptions(given).webhooks;
    expect(first).toMatchObject({ secret: 'own', timeoutMs: 1_000 });
    expect(second).toMatchObject({ secret: 'shared', timeoutMs: 2_000 });
  });

  test('five webhooks are accepted', () => {
    expect(resolveOptions({ webhooks: webhooks(5) }).webhooks).toHaveLength(5);
  });

  test.each<[string, string]>([
    ['a fragment', `${url}#here`],
    ['the default port', 'https://example.com:443/hook'],
    ['capitals in the host', 'https://EXAMPLE.com/hook'],
  ])('%s does not change the identity of a URL', (_, given) => {
    expect(resolveOptions({ webhooks: [{ url: given }] }).webhooks[0]?.url).toBe(url);
  });
});

describe('a setting that is refused', () => {
  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'Expected `options` to be an object, got undefined. Write Destination.open({'],
    ['no webhooks', {}, 'Expected `webhooks` to be 1 to 5 webhooks, got undefined'],
    ['an empty list', { webhooks: [] }, 'Expected `webhooks` to be 1 to 5 webhooks, got an array'],
    ['a sixth webhook', { webhooks: webhooks(6) }, 'Expected `webhooks` to be 1 to 5 webhooks, got 6'],
    [
      'a misspelt setting',
      { webhooks: webhooks(1), secret: 'x' },
      '`secret` to be a known option, got an unknown name. There are enabled, sharedSecret, ',
    ],
    [
      'a misspelt webhook setting',
      { webhooks: [{ url, secert: 'x' }] },
      '`webhooks[0].secert` to be a known option, got an unknown name. Did you mean `secret`?',
    ],
    ['no URL', { webhooks: [{}] }, 'Expected `webhooks[0].url` to be an absolute URL of http or https, got undefined'],
    [
      'a relative URL',
      { webhooks: [{ url: '/hook' }] },
      '`webhooks[0].url` to be an absolute URL of http or https, got a string of 5 characters',
    ],
    [
      'another scheme',
      { webhooks: [{ url: 'ftp://example.com/' }] },
      'to be an absolute URL of http or https, got a string',
    ],
    ['credentials', { webhooks: [{ url: 'https://ada:pw@example.com/' }] }, 'to be a URL without credentials'],
    [
      'a user without a password',
      { webhooks: [{ url: 'https://ada@example.com/' }] },
      'to be a URL without credentials',
    ],
    [
      'one URL twice',
      { webhooks: [{ url }, { url: `${url}#2` }] },
      '`webhooks[1].url` to be a URL of its own, got that of webhooks[0]',
    ],
    [
      'one id twice',
      {
        webhooks: [
          { url, id: 'a' },
          { url: `${url}/2`, id: 'a' },
        ],
      },
      '`webhooks[1].id` to be an id of its own, got that of webhooks[0]',
    ],
    [
      'an id with a slash',
      { webhooks: [{ url, id: 'a/b' }] },
      '`webhooks[0].id` to be 1 to 100 letters, digits, `.`, `_` and `-`, got a string',
    ],
    ['a private address', { webhooks: [{ url: 'http://10.0.0.1/' }] }, 'to be a URL at a public address'],
    ['loopback', { webhooks: [{ url: 'http://127.0.0.1:8080/' }] }, '`allowLoopback: true`'],
    ['localhost', { webhooks: [{ url: 'http://localhost:8080/' }] }, 'or `allowLoopback: true`'],
    ['a name under localhost', { webhooks: [{ url: 'http://hook.localhost./' }] }, '`allowLoopback: true`'],
    ['loopback in other words', { webhooks: [{ url: 'http://2130706433/' }] }, 'got 127.0.0.1'],
    ['loopback in IPv6', { webhooks: [{ url: 'http://[::ffff:127.0.0.1]/' }] }, 'to be a URL at a public address'],
    [
      'a wrong timeout',
      { webhooks: [{ url, requestTimeout: 0 }] },
      '`webhooks[0].requestTimeout` to be an integer from 1 to 60000, got number 0',
    ],
    [
      'a wrong shared timeout',
      { webhooks: webhooks(1), requestTimeout: 60_001 },
      '`requestTimeout` to be an integer from 1 to 60000',
    ],
    [
      'the name that other senders have for an option',
      { webhooks: webhooks(1), retryWindow: 1 },
      'an unknown name. Use `retryFor`',
    ],
    [
      'the old name of a webhook’s option',
      { webhooks: [{ url, timeout: 1 }] },
      'Expected `webhooks[0].timeout` to be a known option, got an unknown name. Use `requestTimeout`',
    ],
    ['a wrong window', { webhooks: webhooks(1), retryFor: -1 }, '`retryFor` to be an integer from 0 to 86400000'],
    [
      'a backlog of none',
      { webhooks: webhooks(1), maxBacklog: { events: 0 } },
      '`maxBacklog.events` to be an integer from 1 up',
    ],
    [
      'an age of none',
      { webhooks: webhooks(1), maxDeadLetters: { age: 0 } },
      '`maxDeadLetters.age` to be an integer from 1 up',
    ],
    ['a misspelt limit', { webhooks: webhooks(1), maxBacklog: { event: 5 } }, 'Did you mean `events`?'],
    ['a store that is a promise', { webhooks: webhooks(1), store: Promise.resolve() }, 'made, got a Promise'],
    ['a backlog that is a number', { webhooks: webhooks(1), maxBacklog: 5 }, '`maxBacklog` to be an object'],
    ['a backlog by what is none', { webhooks: webhooks(1), maxBacklog: { messages: 5 } }, '`maxBacklog.messages`'],
    ['a wrong limit', { webhooks: webhooks(1), concurrency: 1.5 }, '`concurrency` to be an integer from 1 to 1000'],
    [
      'a wrong rule',
      { webhooks: webhooks(1), settle: 'all' },
      "`settle` to be one of 'any', 'each', got string \"all\"",
    ],
    ['a wrong switch', { webhooks: webhooks(1), enabled: 'yes' }, '`enabled` to be true or false'],
    ['an empty secret', { webhooks: [{ url, secret: '' }] }, '`webhooks[0].secret` to be a non-empty string'],
    ['an empty shared secret', { webhooks: webhooks(1), sharedSecret: '' }, '`sharedSecret` to be a non-empty string'],
    ['`sign` without a secret', { webhooks: webhooks(1), sign: ['x-signature'] }, '`webhooks[0].secret` to be there'],
    ['a broken whsec_', { webhooks: webhooks(1), sharedSecret: 'whsec_%' }, '`sharedSecret` to be'],
    ['no scheme', { webhooks: webhooks(1), sign: [] }, `\`sign\` to be ${SCHEME_LIST.expected}`],
    [
      'one scheme without a list',
      { webhooks: webhooks(1), sign: 'standard' },
      `\`sign\` to be ${SCHEME_LIST.expected}`,
    ],
    [
      'a scheme twice',
      { webhooks: webhooks(1), sign: ['standard', 'standard'] },
      `\`sign\` to be ${SCHEME_LIST.expected}`,
    ],
    [
      'an unknown scheme',
      { webhooks: webhooks(1), sign: ['sha256'] },
      `\`sign[0]\` to be one of ${SCHEME_NAMES.map((name) => `'${name}'`).join(', ')}`,
    ],
    [
      'a network that is none',
      { webhooks: webhooks(1), allowCidrs: ['10.0.0.0/8', '10.1.2.3/8'] },
      '`allowCidrs[1]` to be a network',
    ],
  ])('%s', (_, given, expected) => {
    const resolve = () => resolveOptions(given as DestinationOptions);
    expect(resolve).toThrow(
      expect.objectContaining({
        name: 'OptionError',
        code: 'EVENTFERRY_DESTINATION_INVALID_OPTION',
        message: expect.stringContaining(expected),
      }),
    );
  });

  test.each([
    'Host',
    'content-length',
    'Content-Type',
    'Transfer-Encoding',
    'Connection',
    'Keep-Alive',
    'TE',
    'Trailer',
    'Upgrade',
    'Expect',
    'User-Agent',
    'X-Signature',
    'Proxy-Authorization',
    ...OUR_HEADERS,
    'Content-Encoding',
  ])('the reserved header %s is refused', (name) => {
    const resolve = () => resolveOptions({ webhooks: [{ url, headers: { [name]: 'x' } }] });
    expect(resolve).toThrow(
      /^Expected `webhooks\[0\]\.headers.*` to be a header of your own, got one that is reserved$/,
    );
  });

  test.each<[string, Record<string, string>]>([
    ['a line break in a value', { 'X-A': 'a\r\nX-B: b' }],
    ['a null character in a value', { 'X-A': 'a\0' }],
    ['a value beyond Latin-1', { 'X-A': '✓' }],
    ['a value that is no text', { 'X-A': 5 as unknown as string }],
    ['a space in a name', { 'X A': 'a' }],
    ['a colon in a name', { 'X-A:': 'a' }],
    ['an empty name', { '': 'a' }],
    ['one name twice', { 'X-A': 'a', 'x-a': 'b' }],
  ])('%s', (_, headers) => {
    expect(() => resolveOptions({ webhooks: [{ url, headers }] })).toThrow(OptionError);
  });

  test('an error never shows a secret, a password or a header’s value', () => {
    const wrong: unknown[] = [
      { webhooks: [{ url: 'https://ada:hunter2@example.com/' }] },
      { webhooks: [{ url: 'hunter2' }] },
      { webhooks: [{ url, headers: { 'X-A': 'hunter2\n' } }] },
      { webhooks: [{ url, secret: ['hunter2'] }] },
      { webhooks: [{ url }], sharedSecret: 'whsec_hunter2!' },
      { webhooks: [{ url, headers: 'Bearer hunter2' }] },
      { webhooks: [{ url, headers: ['Authorization: Bearer hunter2'] }] },
      { webhooks: [{ url, headers: { 'Authorization: Bearer hunter2': '' } }] },
      { webhooks: ['https://example.com/?token=hunter2'] },
      { webhooks: 'https://example.com/?token=hunter2' },
      'https://example.com/?token=hunter2',
    ];
    for (const given of wrong) {
      const error = catchError(() => resolveOptions(given as DestinationOptions));
      expect(error).toBeInstanceOf(OptionError);
      expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain('hunter2');
    }
  });
});

test.each([
  { webhooks: [{ url }], sharedSecret: 48_151_623 },
  { webhooks: [{ url, secret: 48_151_623 }] },
  { webhooks: [{ url: 48_151_623 }] },
  { webhooks: 48_151_623 },
])('an error does not show a secret that was given as a number: %j', (given) => {
  const error = catchError(() => resolveOptions(given as never));
  expect(error).toBeInstanceOf(OptionError);
  expect(String(error)).not.toContain('48151623');
});

describe('a method of a destination refuses', () => {
  test.each<[string, (destination: Destination) => unknown, string]>([
    ['an unknown option of close', (d) => d.close({ timeoutMs: 1 } as never), 'Did you mean `timeout`?'],
    ['a number in place of options', (d) => d.close(1_000 as never), 'Write close({ timeout: 1000 })'],
    ['a misspelt filter', (d) => d.discard({ reson: 'expired' } as never), 'Did you mean `reason`?'],
    ['a time that is none', (d) => d.discard({ from: 'x' }), 'Expected `from` to be a valid'],
    ['a misspelt rate', (d) => d.discard({}, { rte: 1 } as never), 'Did you mean `rate`?'],
    ['a rate of none', (d) => d.replay({}, { rate: 0 }), '`rate` to be a number of deliveries a second above 0'],
    ['a cursor of its own', (d) => d.replay({}, { after: 'x' }), '`after` to be the `cursor` of an earlier run'],
    ['a misspelt target', (d) => d.replay({}, { sendto: 'crm' } as never), 'Did you mean `sendTo`?'],
  ])('%s', async (_, call, message) => {
    const destination = await Destination.open({ webhooks: [{ url }] });
    await expect(call(destination)).rejects.toMatchObject({
      code: 'EVENTFERRY_DESTINATION_INVALID_OPTION',
      message: expect.stringContaining(message),
    });
    await destination.close();
  });
});

test('a destination refuses a listener for an unknown event', async () => {
  const destination = await Destination.open({ webhooks: [{ url }] });
  const on = (event: string) => () => destination.on(event as never, () => {});
  expect(on('deliverd')).toThrow('Use `delivered`');
  expect(on('toString')).toThrow(expect.objectContaining({ code: 'EVENTFERRY_DESTINATION_INVALID_OPTION' }));
  await destination.close();
});

test.each<[string, unknown, string]>([
  ['a text', './deliveries', "got a string of 12 characters. Write lmdbStore({ path: './deliveries' })"],
  ['no path', {}, 'Expected `path` to be a folder, got undefined'],
  ['a misspelt option', { path: 'x', locktimeout: 1 }, 'Did you mean `lockTimeout`?'],
])('lmdbStore refuses %s', async (_, given, message) => {
  await expect(lmdbStore(given as never)).rejects.toMatchObject({
    code: 'EVENTFERRY_STORE_INVALID_OPTION',
    message: expect.stringContaining(message),
  });
});

function catchError(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}
