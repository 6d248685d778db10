import { expect, test } from 'vitest';
import { AnswerError, ConnectionError } from '../../../src/base/errors/errors.js';
import { RequestSize } from '../../../src/client/transport/request-size.js';

const failure = (causeCode?: string) => new ConnectionError('no', { causeCode });

test.each(['REQUEST_TIMEOUT', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])(
  'two failures in a row with %s halve the size of requests',
  (code) => {
    const size = new RequestSize();
    expect(size.failed(1_000, failure(code), 0)).toBe(1);
    expect(size.mostBytes).toBe(Number.POSITIVE_INFINITY);
    expect(size.failed(1_000, failure(code), 1)).toBe(0);
    expect(size.mostBytes).toBe(500);
  },
);

test.each([
  ['nobody listens', failure('ECONNREFUSED')],
  ['the host name is unknown', failure('ENOTFOUND')],
  ['no name server responds', failure('EAI_AGAIN')],
  ['no connection is established', failure('UND_ERR_CONNECT_TIMEOUT')],
  ['the certificate is refused', failure('CERT_HAS_EXPIRED')],
  ['the proxy fails', failure('PROXY_FAILED')],
  ['the cause is unknown', failure()],
  ['the collector is busy', new AnswerError(503, '', undefined)],
  ['the collector asks for a pause', new AnswerError(429, '', 1_000)],
])('a failure that is unrelated to size changes nothing, and resets the count of related ones: %s', (_, error) => {
  const size = new RequestSize();
  expect([size.failed(1_000, error, 0), size.failed(1_000, error, 1)]).toEqual([0, 0]);
  expect(size.mostBytes).toBe(Number.POSITIVE_INFINITY);
});

test('concurrent requests that fail halve the size once', () => {
  const size = new RequestSize();
  for (let i = 0; i < 4; i++) size.failed(1_000, failure('ECONNRESET'), 1);
  expect(size.mostBytes).toBe(500);
});

test('the late failure of a larger request does not raise the limit again', () => {
  const size = new RequestSize();
  for (const bytes of [1_000, 4_000]) size.failed(bytes, failure('ECONNRESET'), 1);
  expect(size.mostBytes).toBe(500);
});

test('after 23 requests that arrive, the limit has doubled', () => {
  const size = new RequestSize();
  size.failed(1_000, failure('ECONNRESET'), 1);
  for (let i = 0; i < 22; i++) size.grow();
  expect(size.mostBytes).toBeLessThan(1_000);
  size.grow();
  expect(size.mostBytes).toBeGreaterThan(1_000);
});
