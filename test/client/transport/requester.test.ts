import { deflateSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { AbortedError } from '../../../src/base/errors/errors.js';
import { adviceOn } from '../../../src/client/transport/advice.js';
import { rejectionsOf } from '../../../src/client/transport/refusal-list.js';
import { Requester } from '../../../src/client/transport/requester.js';
import type { Transport, TransportAnswer, TransportRequest } from '../../../src/client/transport/transport.js';
import { FakeClock } from '../../support/fake-clock.js';

const body = new TextEncoder().encode('{}');

function exchangeOver(transport: Transport) {
  const clock = new FakeClock();
  const url = 'http://127.0.0.1/v1/batch';
  const writeKey = 'key-of-mine';
  const destroy = vi.fn();
  return {
    exchange: new Requester({
      defaultTransport: () => ({ send: transport, destroy }),
      origin: 'http://127.0.0.1',
      concurrency: 1,
      gzip: false,
      url,
      headers: { a: 'b' },
      writeKey,
      requestTimeout: 10_000,
      clock,
      adviceOn,
      rejectionsOf,
    }),
    clock,
    destroy,
  };
}

const answering =
  (answer: unknown): Transport =>
  async () =>
    answer as TransportAnswer;

test('the transport gets the complete request', async () => {
  let seen: TransportRequest | undefined;
  const { exchange } = exchangeOver(async (request) => {
    seen = request;
    return { status: 200 };
  });
  await exchange.post(body, 0);
  expect(seen).toMatchObject({ url: 'http://127.0.0.1/v1/batch', headers: { a: 'b' }, body });
});

test('an abort closes the connections, and no request begins after it', async () => {
  let requests = 0;
  const { exchange, destroy } = exchangeOver(async () => {
    requests++;
    return { status: 200 };
  });
  const error = new AbortedError('a test says so');
  exchange.abort(error);
  await expect(exchange.post(body, 0)).rejects.toBe(error);
  expect(requests).toBe(0);
  expect(destroy).toHaveBeenCalledOnce();
});

test.each([
  [0, undefined],
  [1, '1'],
  [7, '7'],
])('after %i attempts X-Retry-Count is %j', async (retries, header) => {
  let headers: Readonly<Record<string, string>> = {};
  const { exchange } = exchangeOver(async (request) => {
    headers = request.headers;
    return { status: 200 };
  });
  await exchange.post(body, retries);
  expect(headers['X-Retry-Count']).toBe(header);
});

test('Retry-After is read from headers in any form', async () => {
  for (const headers of [{ 'retry-after': '7' }, { 'retry-after': ['7', '9'] }, new Headers({ 'Retry-After': '7' })]) {
    const { exchange } = exchangeOver(answering({ status: 503, headers }));
    await expect(exchange.post(body, 0)).rejects.toMatchObject({
      code: 'EVENTFERRY_ANSWER',
      status: 503,
      retryAfterMs: 7_000,
    });
  }
});

test.each([null, { get: () => 7 }, { 'retry-after': 7 }])('the headers %j ask for no wait', async (headers) => {
  const { exchange } = exchangeOver(answering({ status: 503, headers, body: null }));
  await expect(exchange.post(body, 0)).rejects.toMatchObject({ status: 503, retryAfterMs: undefined });
});

test.each([
  [207, '[{"id":"a","status":400}]', 'split'],
  [207, '{"results":[{"status":200},{"status_code":"422"}]}', 'split'],
  [207, '[{"id":"a","status":200}]', 'delivered'],
  [200, '{"batch":[{"properties":{"status":404}}]}', 'delivered'],
  [200, '{"status":500}', 'split'],
  [202, '{"ok":true, "statusCode": "401"}', 'split'],
  [200, '{"status":200,"took":450}', 'delivered'],
])('a response of %s with %s makes the batch %s', async (status, text, verdict) => {
  const { exchange } = exchangeOver(answering({ status, body: text }));
  await expect(exchange.post(body, 0)).resolves.toMatchObject({ verdict });
});

test('a date in Retry-After is measured against the Date of the response, because clocks differ', async () => {
  // The collector's clock is an hour behind this machine's.
  const headers = { date: 'Fri, 20 Nov 2026 11:00:00 GMT', 'retry-after': 'Fri, 20 Nov 2026 11:00:09 GMT' };
  const { exchange } = exchangeOver(answering({ status: 503, headers }));
  await expect(exchange.post(body, 0)).rejects.toMatchObject({ retryAfterMs: 9_000 });
});

test('if the Date of a response cannot be read, a date in Retry-After is measured by our clock', async () => {
  const headers = { date: 'now', 'retry-after': 'Fri, 20 Nov 2026 12:00:09 GMT' };
  const { exchange } = exchangeOver(answering({ status: 503, headers }));
  await expect(exchange.post(body, 0)).rejects.toMatchObject({ retryAfterMs: 9_000 });
});

test('a refusal has the beginning of the response, at most 200 characters', async () => {
  const { exchange } = exchangeOver(answering({ status: 403, body: 'x'.repeat(300) }));
  await expect(exchange.post(body, 0)).resolves.toMatchObject({
    verdict: 'rejected',
    status: 403,
    answer: `${'x'.repeat(199)}…`,
  });
});

test.each([
  [401, undefined, 'It does not know this write key: check `writeKey`'],
  [403, undefined, 'It does not admit this write key: check `writeKey`'],
  [404, undefined, 'There is no collector at this address: check `endpoint`, to which /v1/batch is appended'],
  [301, 'https://b.example/', 'It redirects to https://b.example/, and redirects are not followed: check `endpoint`'],
])('the error for a final response of %i gives advice', async (status, location, advice) => {
  const headers = location === undefined ? {} : { location };
  const { exchange } = exchangeOver(answering({ status, headers }));
  await expect(exchange.post(body, 0)).resolves.toMatchObject({ verdict: 'rejected', advice });
});

test("a secret in the collector's text is removed, but a short one is not looked for inside other words", async () => {
  const headers = { location: 'https://b.example/?key-of-mine' };
  const { exchange } = exchangeOver(answering({ status: 301, headers, body: 'invalid key-of-mine' }));
  await expect(exchange.post(body, 0)).resolves.toMatchObject({
    answer: 'invalid [secret]',
    advice: expect.stringContaining('to https://b.example/?[secret],'),
  });
});

test.each([
  ['that was truncated', { status: 200, body: '{"success":true', truncated: true }],
  ['whose list of refused messages is malformed', { status: 202, body: '{"rejected":[{"index":0},{"ind' }],
])('a 2xx %s delivers nothing, and smaller parts should be sent', async (_, answer) => {
  const { exchange } = exchangeOver(answering(answer));
  await expect(exchange.post(body, 0)).resolves.toMatchObject({ verdict: 'split', status: answer.status });
});

test.each([
  ['an answer', answering({ status: 503, body: '\u001b[31m\r\n' }), 'The collector answered 503: \\u{1b}[31m\\r\\n'],
  ['an error', () => Promise.reject(new Error('\u001b[31m\r\n')), '\\u{1b}[31m\\r\\n'],
])('the control characters of %s are escaped', async (_, transport: Transport, message) => {
  await expect(exchangeOver(transport).exchange.post(body, 0)).rejects.toMatchObject({ message });
});

test.each<[string, Transport]>([
  ['rejects', () => Promise.reject(new Error('boom'))],
  ['rejects with something other than an error', () => Promise.reject('boom')],
  [
    'throws',
    () => {
      throw new TypeError('boom');
    },
  ],
  ['rejects with many errors', () => Promise.reject(new AggregateError([new Error('bo'), new Error('om')]))],
  ['gives nothing', answering(undefined)],
  ['returns no status', answering({})],
  ['returns a status that is not a number', answering({ status: '200' })],
  ['returns NaN as the status', answering({ status: Number.NaN })],
  ['returns a body that is not text', answering({ status: 200, body: { success: true } })],
  ['returns headers that throw', answering({ status: 503, headers: { get: () => JSON.parse('boom') } })],
  ['rejects with an unreadable value', () => Promise.reject(Object.create(null))],
])('a transport that %s fails the attempt, which is repeated', async (_, transport) => {
  await expect(exchangeOver(transport).exchange.post(body, 0)).rejects.toMatchObject({
    code: 'EVENTFERRY_CONNECTION',
    message: expect.stringMatching(/boom|bo; om|gave no status|no text|without a message/),
  });
});

const never: Transport = () => new Promise(() => {});

test('a transport that never responds is given up after requestTimeout, and its signal is aborted', async () => {
  let signal: AbortSignal | undefined;
  const { exchange, clock } = exchangeOver((request) => {
    signal = request.signal;
    return new Promise(() => {});
  });
  const posted = exchange.post(body, 0);
  clock.advance(9_999);
  expect(signal?.aborted).toBe(false);
  clock.advance(1);
  await expect(posted).rejects.toMatchObject({
    code: 'EVENTFERRY_CONNECTION',
    message: expect.stringMatching(/^No answer within 10000 ms to a request of \d+ bytes$/),
  });
  expect(signal?.aborted).toBe(true);
});

test('a transport that never responds does not stop an abort', async () => {
  const { exchange, clock } = exchangeOver(never);
  const error = new AbortedError('a test says so');
  const posted = exchange.post(body, 0);
  exchange.abort(error);
  await expect(posted).rejects.toBe(error);
  expect(clock.due).toEqual([]);
});

test('a 400 that names the messages it refuses returns each with its reason', async () => {
  const said = JSON.stringify({ rejected: [{ index: 0, messageId: 'm', code: 'missing_event', message: 'event: …' }] });
  const { exchange } = exchangeOver(answering({ status: 400, body: said }));
  expect(await exchange.post(body, 0)).toMatchObject({
    verdict: 'split',
    status: 400,
    rejections: [{ index: 0, reason: 'missing_event: event: …' }],
  });
});

test('a truncated 2xx does not show the write key', async () => {
  const { exchange } = exchangeOver(answering({ status: 200, body: 'ok key-of-mine', truncated: true }));
  expect(await exchange.post(body, 0)).toEqual({ verdict: 'split', status: 200, answer: 'ok [secret]' });
});

test('a 2xx that names refused messages does not show the write key', async () => {
  const said = JSON.stringify({ rejected: [{ index: 0, message: 'no source has key-of-mine' }] });
  const { exchange } = exchangeOver(answering({ status: 200, body: said }));
  expect(await exchange.post(body, 0)).toEqual({
    verdict: 'delivered',
    status: 200,
    rejections: [{ index: 0, reason: 'no source has [secret]' }],
  });
});

test.each([
  ['bytes in an undeclared encoding', deflateSync('{"rejected":[{"index":0}]}'), 'split'],
  ['JSON in Latin-1', Buffer.from('{"message":"caf\u00e9"}', 'latin1'), 'delivered'],
  ['a page in Latin-1', Buffer.from('<p>caf\u00e9', 'latin1'), 'delivered'],
  ['a word', Buffer.from('OK'), 'delivered'],
])(
  'the body of a 200 with %s is read if it is text, and otherwise counts as refusing some messages',
  async (_, bytes, verdict) => {
    const { exchange } = exchangeOver(answering({ status: 200, body: new TextDecoder().decode(bytes) }));
    expect(await exchange.post(body, 0)).toMatchObject({ verdict });
  },
);
