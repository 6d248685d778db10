import { expect, test } from 'vitest';
import { resolveHeaders } from '../../../src/client/transport/request-headers.js';
import type { Transport } from '../../../src/index.js';
import { VERSION } from '../../../src/version.js';
import { client, next, track } from '../../support/client.js';
import { sink } from '../../support/sink.js';

test('headers given as a record are sent with every request, in addition to those of the client', async () => {
  const { url, requests } = await sink(503);
  const { analytics, clock } = client({
    endpoint: url,
    flushAt: 1,
    headers: { 'X-Tenant': 'tenant é', 'x-empty': '' },
  });
  const retried = next(analytics, 'retry');
  const receipt = analytics.track(track());
  clock.advance((await retried).delayMs);
  await receipt.delivered;
  const [first, second] = requests.map(({ headers }) => Object.fromEntries(headers));
  expect(first).toMatchObject({ 'x-tenant': 'tenant é', 'x-empty': '', 'content-type': 'application/json' });
  expect(second).toMatchObject({ 'x-tenant': 'tenant é', 'x-retry-count': '1', authorization: 'Basic a2V5Og==' });
});

test('headers given as a record replace those of the client, whatever their case', async () => {
  const { url, requests } = await sink();
  const headers = { authorization: 'Bearer token', 'USER-AGENT': 'shop/1' };
  const { analytics } = client({ endpoint: url, flushAt: 1, headers });
  await analytics.track(track()).delivered;
  expect(requests[0]?.headers.get('authorization')).toBe('Bearer token');
  expect(requests[0]?.headers.get('user-agent')).toBe('shop/1');
});

test('headers given as a record are copied when the client is made', async () => {
  const { url, requests } = await sink();
  const headers = { 'X-Tenant': 'a' };
  const { analytics } = client({ endpoint: url, flushAt: 1, headers });
  headers['X-Tenant'] = 'b';
  await analytics.track(track()).delivered;
  expect(requests[0]?.headers.get('x-tenant')).toBe('a');
});

test('headers given as a record are passed to a custom transport', async () => {
  const seen: object[] = [];
  const transport: Transport = async ({ headers }) => {
    seen.push(headers);
    return { status: 200 };
  };
  const { analytics } = client({
    endpoint: 'http://127.0.0.1:1',
    transport,
    flushAt: 1,
    headers: { 'X-Tenant': 'a', authorization: 'Bearer token' },
  });
  await analytics.track(track()).delivered;
  const own = {
    'Accept-Encoding': 'identity',
    'Content-Type': 'application/json',
    'User-Agent': `eventferry/${VERSION}`,
  };
  expect(seen).toEqual([{ ...own, 'X-Tenant': 'a', authorization: 'Bearer token' }]);
});

test.each<[string, unknown, string]>([
  [
    'a list',
    [['X-A', 'secret']],
    'Expected `headers` to be a plain object, or a function that makes one, got an array',
  ],
  [
    'text',
    'secret',
    'Expected `headers` to be a plain object, or a function that makes one, got a string of 6 characters',
  ],
  ['null', null, 'Expected `headers` to be a plain object, or a function that makes one, got null'],
  [
    'Headers',
    new Headers({ a: 'secret' }),
    'Expected `headers` to be a plain object, or a function that makes one, got a Headers',
  ],
  [
    'a name with a space',
    { 'X A': 'secret' },
    'Expected `headers["X A"]` to be a header name: letters, digits and -, got a string of 3 characters',
  ],
  [
    'a value in a name',
    { 'Authorization: Bearer token-1': '' },
    'Expected `headers` to be an object of names and values, got one with a value in a name',
  ],
  ['an empty name', { '': 'secret' }, 'Expected `headers[""]` to be a header name'],
  [
    'a reserved name',
    { 'Content-Length': 'secret' },
    'Expected `headers["Content-Length"]` to be a header of your own, got one that is reserved',
  ],
  [
    'the header for the count of retries',
    { 'x-retry-count': 'secret' },
    'Expected `headers["x-retry-count"]` to be a header of your own, got one that is reserved',
  ],
  [
    'the same name in two letter cases',
    { 'X-A': 'secret', 'x-a': 'secret' },
    'Expected `headers["x-a"]` to be there once, got it twice',
  ],
  [
    'a line break',
    { 'X-A': 'secret\r\nX-B: 1' },
    'Expected `headers["X-A"]` to be text without line breaks or characters beyond Latin-1, got a string of 14 characters',
  ],
  [
    'a character beyond Latin-1',
    { 'X-A': 'secret €' },
    'Expected `headers["X-A"]` to be text without line breaks or characters beyond Latin-1, got a string of 8 characters',
  ],
  [
    'a number',
    { 'X-A': 1 },
    'Expected `headers["X-A"]` to be text without line breaks or characters beyond Latin-1, got a number',
  ],
])('headers given as a record are refused without being shown: %s', (_, headers, message) => {
  expect(() => resolveHeaders(headers)).toThrow(message);
  expect(() => resolveHeaders(headers)).not.toThrow('secret');
});

test('a function that makes headers is called for each attempt', async () => {
  const { url, requests } = await sink(503, 503);
  let calls = 0;
  const headers = async () => ({ authorization: `Bearer ${++calls}` });
  const { analytics, clock } = client({ endpoint: url, flushAt: 1, headers });
  const receipt = analytics.track(track());
  for (let i = 0; i < 2; i++) clock.advance((await next(analytics, 'retry')).delayMs);
  await receipt.delivered;
  expect(requests.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer 1', 'Bearer 2', 'Bearer 3']);
  expect(requests.map(({ headers }) => headers.get('x-retry-count'))).toEqual([null, '1', '2']);
});

test.each<[string, () => unknown, string]>([
  [
    'throws',
    () => {
      throw new Error('no token');
    },
    'The function `headers` failed: no token',
  ],
  ['rejects', () => Promise.reject(new Error('no token')), 'The function `headers` failed: no token'],
  [
    'rejects with an unreadable value',
    () => Promise.reject(Object.create(null)),
    'The function `headers` failed: an object',
  ],
  [
    'throws something other than an error',
    () => {
      throw 'no token';
    },
    'The function `headers` failed: no token',
  ],
  ['gives nothing', () => undefined, 'The function `headers` failed: expected `headers` to be a plain object'],
  [
    'returns a line break',
    () => ({ 'X-A': 'secret\n' }),
    'The function `headers` failed: expected `headers["X-A"]` to be text',
  ],
  [
    'returns a reserved name',
    async () => ({ Host: 'secret' }),
    'The function `headers` failed: expected `headers["Host"]` to be a',
  ],
])('a function for headers that %s fails the attempt, which is repeated', async (_, fail, message) => {
  const { url, requests } = await sink();
  let calls = 0;
  const headers = () => (++calls === 1 ? fail() : { 'X-A': 'b' });
  const { analytics, clock } = client({ endpoint: url, flushAt: 1, headers: headers as never });
  const retried = next(analytics, 'retry');
  const receipt = analytics.track(track());
  const { error, delayMs } = await retried;
  expect(error).toMatchObject({ name: 'ConnectionError', code: 'EVENTFERRY_CONNECTION' });
  expect(error.message).toContain(message);
  expect(error.message).not.toContain('secret');
  clock.advance(delayMs);
  await receipt.delivered;
  expect(requests).toHaveLength(1);
  expect(requests[0]?.headers.get('x-a')).toBe('b');
});

test('a function for headers that never ends is given up with the request', async () => {
  const { url, requests } = await sink();
  const endless = () => new Promise<never>(() => {});
  const { analytics, clock } = client({ endpoint: url, flushAt: 1, headers: endless, requestTimeout: 1_000 });
  const retried = next(analytics, 'retry');
  analytics.track(track());
  await expect.poll(() => clock.due.includes(1_000)).toBe(true);
  clock.advance(1_000);
  expect((await retried).error.message).toBe('No answer within 1000 ms to a request of 307 bytes');
  expect(requests).toHaveLength(0);
});

test('if a function for headers ends after the client was closed, nothing is sent', async () => {
  let finish: (() => void) | undefined;
  const headers = () => new Promise<Record<string, string>>((resolve) => (finish = () => resolve({ 'X-A': 'b' })));
  let sent = 0;
  const transport: Transport = async () => ({ status: 200 + sent++ });
  const { analytics, clock, lost } = client({ endpoint: 'http://127.0.0.1:1', transport, flushAt: 1, headers });
  analytics.track(track());
  await expect.poll(() => finish).toBeDefined();
  const closed = analytics.close({ timeout: 0 });
  clock.advance(0);
  await closed;
  finish?.();
  await new Promise(setImmediate);
  expect([lost.length, sent]).toEqual([1, 0]);
});
