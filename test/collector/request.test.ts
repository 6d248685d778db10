import { expect, test } from 'vitest';
import { keyOfAuthorization } from '../../src/collector/request.js';
import { listening, post, track } from './support.js';

test('onMessages and onAnswered get a description of the request', async () => {
  const { url, requests, answered } = await listening();
  const body = JSON.stringify({ batch: [track()] });
  await post(url, body, { 'user-agent': 'client/1', 'x-retry-count': '2' });
  expect(requests).toEqual([
    {
      path: '/v1/batch',
      receivedAt: '2026-11-20T12:00:00.000Z',
      attempt: 3,
      userAgent: 'client/1',
      remoteAddress: '127.0.0.1',
      wireBytes: body.length,
      bytes: body.length,
      expandedBytes: body.length,
      messages: 1,
    },
  ]);
  expect(answered).toEqual([
    { status: 200, code: undefined, accepted: 1, duplicates: 0, rejected: 0, durationMs: expect.any(Number) },
  ]);
});

test.each(['', '-1', 'x', '1e9', '99999999'])('an X-Retry-Count of %j is ignored', async (count) => {
  const { url, requests } = await listening();
  await post(url, { batch: [track()] }, { 'x-retry-count': count });
  expect(requests[0]?.attempt).toBe(1);
});

const encode = (credentials: string): string => Buffer.from(credentials).toString('base64');

const headers: [string, string | undefined, string | undefined][] = [
  ['no header', undefined, undefined],
  ['Basic with the key as the user name', `Basic ${encode('key:')}`, 'key'],
  ['a scheme in lower case', `basic ${encode('key:')}`, 'key'],
  ['a password, which means nothing', `Basic ${encode('key:secret:more')}`, 'key'],
  ['a client that forgot the colon', `Basic ${encode('key')}`, 'key'],
  ['a client that left out the padding', `Basic ${encode('key1:').replaceAll('=', '')}`, 'key1'],
  ['an empty user name', `Basic ${encode(':')}`, undefined],
  ['another scheme', 'Bearer abc', undefined],
  ['nothing behind the scheme', 'Basic ', undefined],
  ['no Base64', 'Basic {}', undefined],
];

test.each(headers)('the write key of an Authorization header: %s', (_, header, key) => {
  expect(keyOfAuthorization(header)).toBe(key);
});
