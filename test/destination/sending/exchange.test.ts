import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Attempted } from '../../../src/destination/reports/recorder.js';
import type { WebhookOptions } from '../../../src/destination/settings/destination-settings.js';
import { COMMON_HEADERS } from '../../../src/signature/delivery-headers.js';
import { type Reaction, startEndpoint } from '../../scheduler/test-endpoint.js';
import { openDestination } from '../open.js';
import { track } from '../track.js';

/** Returns what a recorder receives for the first attempt at this endpoint. */
async function recorded(reaction: Reaction, webhook: Partial<WebhookOptions> = {}, keepAnswers = true) {
  const { url } = await startEndpoint(reaction);
  let record = (_: Attempted): void => {};
  const told = new Promise<Attempted>((resolve) => (record = resolve));
  const recorder = { wantsExchange: () => true, record: (attempted: Attempted) => record(attempted) };
  const webhooks = [{ url, ...webhook }];
  const options = { webhooks, sharedSecret: 'the-shared-secret', keepAnswers };
  const { destination } = await openDestination(options, { recorders: [recorder] });
  await destination.deliver(track('m1'));
  return told;
}

test('a recorder receives the request and the answer, even of a delivered event', async () => {
  const { id, exchange, attempt, entry } = await recorded((_, response) => {
    response.writeHead(201, { 'X-Request-Id': 'req-1', 'Set-Cookie': ['a=1', 'b=2'] }).end('created');
  });
  expect({ id, status: attempt.status, source: entry?.before.id }).toEqual({ id: 'm1', status: 201, source: 'm1' });
  expect(attempt.answer).toBeUndefined();
  expect(JSON.parse(Buffer.from(exchange?.body ?? []).toString())).toMatchObject({ messageId: 'm1' });
  const sent = COMMON_HEADERS;
  expect(exchange?.shown()).toEqual({
    sent: { headers: { ...sent, 'x-signature': '***' } },
    answer: {
      headers: expect.objectContaining({ 'x-request-id': 'req-1', 'set-cookie': '***' }),
      text: 'created',
      isCut: false,
    },
  });
});

test('the static headers of a webhook are masked, also where the endpoint sends them back', async () => {
  const headers = { 'X-Env': 'staging', 'X-Custom': 'Bearer 0123456789abcdefXYZ', 'X-Api-Key': 'short1' };
  const { exchange } = await recorded(
    (_, response) => {
      response.writeHead(400, { 'X-Echo': 'the-shared-secret and 0123456789abcdefXYZ' }).end('no the-shared-secret');
    },
    { headers },
  );
  const shown = exchange?.shown();
  expect(shown?.sent.headers).toMatchObject({ 'X-Env': '***', 'X-Custom': '***', 'X-Api-Key': '***' });
  expect(shown?.answer).toMatchObject({ headers: { 'x-echo': '*** and ***' }, text: 'no ***' });
  expect(JSON.stringify(shown)).not.toMatch(/shared-secret|0123456789/);
});

test('the first 2 KB of a long answer are kept, with a mark that it was longer', async () => {
  const { exchange } = await recorded((_, response) => void response.end('x'.repeat(5_000)));
  const answer = exchange?.shown().answer;
  expect({ length: answer?.text.length, isCut: answer?.isCut }).toEqual({ length: 2_048, isCut: true });
});

test('an exchange without an answer contains only the request', async () => {
  const { exchange, attempt } = await recorded((request) => request.socket.destroy());
  expect(attempt.code).toMatch(/UND_ERR_SOCKET|ECONNRESET/);
  expect(exchange?.shown()).toMatchObject({ sent: { headers: { 'x-signature': '***' } }, answer: undefined });
});

test('with `keepAnswers: false` an exchange contains the headers of the answer but no text', async () => {
  const { exchange } = await recorded((_, response) => void response.writeHead(500).end('broken'), {}, false);
  expect(exchange?.shown().answer).toMatchObject({
    text: '',
    headers: expect.objectContaining({ connection: expect.anything() }),
  });
});

test.each([
  ['gzip', ''],
  ['Identity', 'broken'],
])('for an answer in the encoding %j the text %j is kept', async (encoding, text) => {
  const { exchange, attempt } = await recorded((_, response) => {
    const body = encoding === 'gzip' ? gzipSync('broken') : 'broken';
    response.writeHead(500, { 'Content-Encoding': encoding }).end(body);
  });
  expect(attempt.answer ?? '').toBe(text);
  expect(exchange?.shown().answer).toMatchObject({ headers: { 'content-encoding': encoding }, text });
});
