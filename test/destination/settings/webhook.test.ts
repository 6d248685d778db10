import { expect, test } from 'vitest';
import { parseCidr } from '../../../src/base/text/address.js';
import { faultInUrl, urlOf } from '../../../src/destination/settings/webhook.js';

test.each([
  ['https://example.com/hook?a=1#part', 'https://example.com/hook?a=1'],
  ['https://EXAMPLE.com:443/hook', 'https://example.com/hook'],
])('the normalized URL of a webhook with %s is %s', (given, url) => {
  expect(urlOf(given)).toBe(url);
});

test.each([
  ['port 0', 'https://example.com:0/', 'a URL with a port from 1 to 65535, got one with port 0'],
  [
    'credentials',
    'https://user:token-1@example.com/',
    'a URL without credentials, which belong in a header, got one with credentials',
  ],
  ['a loopback address', 'http://localhost:80/', 'a URL at a public address, or `allowLoopback: true`, got localhost'],
  ['a private address', 'http://[::ffff:10.0.0.1]/', 'a URL at a public address, or `allowCidrs`, got ::ffff:a00:1'],
])('a webhook may not have a URL with %s', (_, url, fault) => {
  const { expected, received } = faultInUrl(url, []) ?? {};
  expect(`${expected}, got ${received}`).toBe(fault);
});

test('a webhook may have a private URL in an allowed network, or if the allowed networks are unknown', () => {
  const url = 'http://10.1.2.3/';
  expect(
    faultInUrl(
      url,
      [parseCidr('10.0.0.0/8')].filter((network) => network !== undefined),
    ),
  ).toBeUndefined();
  expect(faultInUrl(url, undefined)).toBeUndefined();
});
