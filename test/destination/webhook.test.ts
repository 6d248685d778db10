import { expect, test } from 'vitest';
import { checkSecret, checkWebhooks, type WebhookOptions } from '../../src/destination/webhook.js';
import { schemesOf } from '../../src/signature/schemes.js';

const defaults = { timeoutMs: 5_000, secret: undefined, schemes: undefined, allowed: [] };
const url = 'https://example.com/hook';

const refusal = (given: Partial<WebhookOptions>[], changed = {}): string => {
  try {
    checkWebhooks(given as WebhookOptions[], { ...defaults, ...changed });
    return 'taken';
  } catch (error) {
    return error instanceof Error ? error.message : 'no error';
  }
};

test('a webhook has the shared secret and timeout unless it has its own, and no fragment', () => {
  const shared = { ...defaults, secret: 'shared', timeoutMs: 9_000 };
  const own = { id: 'crm', url: `${url}?a=1#part`, secret: 'own', requestTimeout: 100, headers: { 'X-A': '1' } };
  const [first, second] = checkWebhooks([own, { url }], shared);
  expect(first).toMatchObject({ id: 'crm', secret: 'own', timeoutMs: 100, headers: { 'X-A': '1' } });
  expect(first?.url).toBe(`${url}?a=1`);
  expect(second).toMatchObject({ id: undefined, secret: 'shared', timeoutMs: 9_000, headers: {} });
});

test.each<[string, Partial<WebhookOptions>[], string]>([
  ['none', [], 'Expected `webhooks` to be 1 to 5 webhooks, got 0'],
  ['six', Array.from({ length: 6 }, (_, n) => ({ url: `${url}${n}` })), '1 to 5 webhooks, got 6'],
  ['two of one URL', [{ url }, { url: `${url}#a` }], '`webhooks[1].url` to be a URL of its own'],
  [
    'two of one id',
    [
      { url, id: 'a' },
      { url: `${url}2`, id: 'a' },
    ],
    '`webhooks[1].id` to be an id of its own',
  ],
  ['one without a URL', [{}], '`webhooks[0].url`'],
  ['another scheme', [{ url: 'ftp://example.com/' }], 'a URL of http or https, got one of ftp'],
  ['port 0', [{ url: 'https://example.com:0/' }], 'a URL with a port from 1 to 65535, got one with port 0'],
  ['credentials', [{ url: 'https://user:pass@example.com/' }], 'a URL without credentials'],
  ['a loopback address', [{ url: 'http://localhost:80/' }], 'or `allowLoopback: true`'],
  ['a private address', [{ url: 'http://[::ffff:10.0.0.1]/' }], 'or `allowCidrs`'],
  ['an option by its former name', [{ url, timeout: 1 } as never], 'Use `requestTimeout`'],
  ['a reserved header', [{ url, headers: { 'X-Signature': 'a' } }], 'a header of your own, got one that is reserved'],
  ['an encoding of answers', [{ url, headers: { 'accept-encoding': 'gzip' } }], 'got one that is reserved'],
  ['a header twice', [{ url, headers: { 'X-A': '1', 'x-a': '2' } }], 'there once'],
  ['a header of two lines', [{ url, headers: { 'X-A': '1\r\n2' } }], 'text without line breaks'],
  ['a name that is no header', [{ url, headers: { 'X A': '1' } }], 'a header name'],
])('webhooks with %s are refused', (_, given, message) => {
  expect(refusal(given)).toContain(message);
});

test('a refused webhook is refused without what may be secret in it', () => {
  const headers = { 'Authorization: Bearer token-1': '' };
  expect(refusal([{ url: 'https://user:token-1@example.com/' }])).not.toContain('token-1');
  expect(refusal([{ url, headers }])).toBe(
    'Expected `webhooks[0].headers` to be an object of names and values, got one with a value in a name',
  );
});

const standard = schemesOf(['standard']);

test.each<[unknown, string]>([
  ['', 'got an empty string'],
  [7, 'got number'],
  ['whpk_AAAA', 'got a public key'],
])('a destination refuses the secret %j', (secret, message) => {
  expect(() => checkSecret('sharedSecret', secret)).toThrow(message);
});

test('a destination that signs with a scheme refuses a secret that the scheme cannot use', () => {
  expect(checkSecret('sharedSecret', 'shared')).toBe('shared');
  expect(() => checkSecret('sharedSecret', 'shared', standard)).toThrow('`whsec_` and 24 to 64 bytes in base64');
});

test('a webhook needs a secret where `sign` is given', () => {
  expect(refusal([{ url }], { schemes: standard })).toContain('there when `sign` is given');
  expect(refusal([{ url }], { schemes: standard, secret: 'shared' })).toBe('taken');
});
