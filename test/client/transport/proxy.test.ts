import { expect, test } from 'vitest';
import { resolveProxy } from '../../../src/client/transport/proxy.js';

const none = { env: {}, execArgv: [] };
const https = new URL('https://events.example.com');
const http = new URL('http://events.example.com');

const base64 = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

test.each([
  ['http://proxy.test:3128', { isSecure: false, hostname: 'proxy.test', port: 3128, host: 'proxy.test:3128' }],
  ['http://proxy.test', { isSecure: false, port: 80, host: 'proxy.test:80', authorization: undefined }],
  ['https://proxy.test/', { isSecure: true, port: 443 }],
  ['HTTP://Proxy.Test:3128', { isSecure: false, hostname: 'proxy.test' }],
  ['http://[::1]:3128', { hostname: '::1', host: '[::1]:3128' }],
  ['http://user:password@proxy.test:1', { host: 'proxy.test:1', authorization: base64('user:password') }],
  ['http://a%40b:c%3Ad%C3%A9@proxy.test:1', { authorization: base64('a@b:c:dé') }],
  ['http://user@proxy.test:1', { authorization: base64('user:') }],
  ['http://:password@proxy.test:1', { authorization: base64(':password') }],
])('the option proxy accepts %s', (url, expected) => {
  expect(resolveProxy(url, https, none)).toMatchObject(expected);
});

test.each([
  'proxy.test:3128',
  'socks5://secret@proxy.test',
  'http://',
  'http://user:s%zzecret@proxy.test',
  'http://secret@proxy.test/path',
  'http://secret@proxy.test?a=secret',
  'http://secret@proxy.test#secret',
  '',
  'secret',
  true,
  null,
  1,
  { url: 'http://secret' },
])('the option proxy refuses %j, and does not show it', (proxy) => {
  const resolve = () => resolveProxy(proxy, https, none);
  expect(resolve).toThrow(/^Expected `proxy` to be false, or an http or https URL without a path, such as \S+, got /);
  expect(resolve).not.toThrow('secret');
});

test('the option proxy takes precedence over the environment, even if it is false', () => {
  const surroundings = {
    env: { NODE_USE_ENV_PROXY: '1', https_proxy: 'http://other.test', NO_PROXY: '*' },
    execArgv: [],
  };
  expect(resolveProxy('http://proxy.test', https, surroundings)?.hostname).toBe('proxy.test');
  expect(resolveProxy(false, https, surroundings)).toBe(undefined);
});

const hostOf = (endpoint: URL, env: Record<string, string>, execArgv: string[] = []) =>
  resolveProxy(undefined, endpoint, { env, execArgv })?.hostname;
const both = { HTTP_PROXY: 'http://for-http.test', HTTPS_PROXY: 'http://for-https.test' };

test.each<[string, Record<string, string>, string[], boolean]>([
  ['nothing', {}, [], false],
  ['NODE_USE_ENV_PROXY=1', { NODE_USE_ENV_PROXY: '1' }, [], true],
  ['NODE_USE_ENV_PROXY=0', { NODE_USE_ENV_PROXY: '0' }, [], false],
  ['NODE_USE_ENV_PROXY=true', { NODE_USE_ENV_PROXY: 'true' }, [], false],
  ['--use-env-proxy', {}, ['--use-env-proxy'], true],
  ['--use-env-proxy in NODE_OPTIONS', { NODE_OPTIONS: '--enable-source-maps --use-env-proxy' }, [], true],
  ['--no-use-env-proxy against the variable', { NODE_USE_ENV_PROXY: '1' }, ['--no-use-env-proxy'], false],
  ['--no-use-env-proxy against NODE_OPTIONS', { NODE_OPTIONS: '--use-env-proxy' }, ['--no-use-env-proxy'], false],
])('with %s, a proxy of the environment is used or not', (_, env, execArgv, isHeeded) => {
  expect(hostOf(https, { ...both, ...env }, execArgv)).toBe(isHeeded ? 'for-https.test' : undefined);
});

const on = { NODE_USE_ENV_PROXY: '1' };

test('the environment has a separate proxy for each scheme', () => {
  expect(hostOf(http, { ...on, ...both })).toBe('for-http.test');
  expect(hostOf(https, { ...on, ...both })).toBe('for-https.test');
  expect(hostOf(https, { ...on, HTTP_PROXY: 'http://for-http.test' })).toBe(undefined);
  expect(hostOf(http, { ...on, HTTPS_PROXY: 'http://for-https.test' })).toBe(undefined);
});

test('proxy variables in lower case take precedence over those in capitals unless they are empty', () => {
  expect(hostOf(http, { ...on, ...both, http_proxy: 'http://lower.test' })).toBe('lower.test');
  expect(hostOf(http, { ...on, ...both, http_proxy: '' })).toBe('for-http.test');
  expect(hostOf(http, { ...on, ...both, NO_PROXY: '*', no_proxy: 'other.test' })).toBe('for-http.test');
});

test('the environment may exempt the endpoint from its proxy', () => {
  expect(hostOf(https, { ...on, ...both, NO_PROXY: 'events.example.com:443' })).toBe(undefined);
  expect(hostOf(https, { ...on, ...both, NO_PROXY: 'events.example.com:80' })).toBe('for-https.test');
  expect(hostOf(http, { ...on, ...both, NO_PROXY: 'events.example.com:80' })).toBe(undefined);
  expect(hostOf(new URL('http://[::1]:4100'), { ...on, ...both, NO_PROXY: '::1' })).toBe(undefined);
});

test('a proxy of another kind in the environment is not used', () => {
  expect(hostOf(http, { ...on, HTTP_PROXY: 'socks5://proxy.test' })).toBe(undefined);
  expect(hostOf(http, { ...on, HTTP_PROXY: 'proxy.test:3128' })).toBe(undefined);
});

test('a proxy of the environment that is not a URL is refused under the name of its variable, and not shown', () => {
  const resolve = () => hostOf(http, { ...on, HTTP_PROXY: 'http://user:secret@:::x' });
  expect(resolve).toThrow('Expected `HTTP_PROXY` to be an http or https URL, got a string of 23 characters');
});
