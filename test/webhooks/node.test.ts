import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import { expect, onTestFinished, test } from 'vitest';
import { createReceiver, type ReceiverOptions, type RefusedError, toNodeHandler } from '../../src/webhooks/index.js';
import { sampleDeliveries, sampleDelivery, sampleEvents } from '../../src/webhooks/testing/index.js';
import { chunk, dial, head, listen, urlOf } from './listen.js';

const secret = 'shhh';
const track = sampleDelivery('track', { secret });
const signature = track.headers['x-signature'] ?? '';

test.each([undefined, createReceiver, {}])('toNodeHandler refuses %j, which is not a receiver', (given) => {
  const refused = { code: 'EVENTFERRY_WEBHOOKS_INVALID_OPTION', option: 'receiver' };
  expect(() => toNodeHandler(given as never)).toThrow(expect.objectContaining(refused));
});

function setUp(options: Partial<ReceiverOptions> = {}) {
  const events: unknown[] = [];
  const refused: RefusedError[] = [];
  let noteRefusal = (): void => {};
  const refusal = new Promise<void>((resolve) => {
    noteRefusal = resolve;
  });
  const receiver = createReceiver({
    secrets: secret,
    onEvent: (event) => events.push(event),
    onRefused: (error) => {
      refused.push(error);
      noteRefusal();
    },
    ...options,
  });
  return { handler: toNodeHandler(receiver), events, refused, refusal };
}

async function serve(options: Partial<ReceiverOptions> = {}, wrap = (handler: RequestListener) => handler) {
  const { handler, ...noted } = setUp(options);
  return { url: await listen(wrap(handler)), ...noted };
}

async function serveHttp2() {
  const { handler, ...noted } = setUp();
  const server = createHttp2Server(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: urlOf(server), ...noted };
}

test('toNodeHandler accepts a delivery of each type over one connection', async () => {
  const { url, events } = await serve();
  for (const delivery of sampleDeliveries({ secret })) {
    const response = await fetch(url, delivery);
    expect([response.status, await response.text()]).toEqual([200, 'ok\n']);
  }
  expect(events).toEqual(Object.values(sampleEvents));
});

test('toNodeHandler answers other methods with 405', async () => {
  const { url } = await serve();
  const response = await fetch(url);
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
});

test('toNodeHandler accepts a body in chunks, wherever it is split', async () => {
  const { url } = await serve({ bodyTimeout: 60_000, respondAfter: false });
  const connection = dial(url);
  await connection.write(head({ 'transfer-encoding': 'chunked', 'x-signature': signature }));
  for (const character of track.body) await connection.write(chunk(character));
  await connection.write('0\r\n\r\n');
  expect(await connection.receives('\n\r\n')).toContain('HTTP/1.1 200');
});

test('toNodeHandler accepts a body whose bytes the framework kept', async () => {
  const keep: (handler: RequestListener) => RequestListener = (handler) => async (request, response) => {
    Object.assign(request, { rawBody: Buffer.concat(await request.toArray()) });
    handler(request, response);
  };
  const { url } = await serve({}, keep);
  expect((await fetch(url, track)).status).toBe(200);
});

test('toNodeHandler accepts a request for which the program has set an encoding', async () => {
  const encode: (handler: RequestListener) => RequestListener = (handler) => (request, response) => {
    request.setEncoding('utf8');
    handler(request, response);
  };
  const { url } = await serve({}, encode);
  expect((await fetch(url, track)).status).toBe(200);
});

test.each([
  ['parsed', (body: string) => ({ body: JSON.parse(body) })],
  ['thrown away', () => ({})],
])('toNodeHandler answers 500 with advice at once if the body was %s', async (_, left) => {
  const errors: unknown[] = [];
  const consume: (handler: RequestListener) => RequestListener = (handler) => async (request, response) => {
    Object.assign(request, left(Buffer.concat(await request.toArray()).toString()));
    handler(request, response);
  };
  const { url } = await serve({ onError: (error) => errors.push(error) }, consume);
  const response = await fetch(url, track);
  expect(response.status).toBe(500);
  expect(await response.text()).toContain('Mount the receiver before express.json()');
  expect(errors).toMatchObject([{ code: 'EVENTFERRY_WEBHOOKS_BODY_CONSUMED' }]);
});

test('toNodeHandler adds nothing to a response that was already sent', async () => {
  const { handler, events } = setUp();
  let handled: Promise<void> | undefined;
  const url = await listen((request, response) => {
    response.writeHead(503).end('busy');
    handled = handler(request, response);
  });
  expect((await fetch(url, track)).status).toBe(503);
  await expect(handled).resolves.toBeUndefined();
  expect(events).toEqual([sampleEvents.track]);
});

test('toNodeHandler works on HTTP/2', async () => {
  const session = connectHttp2((await serveHttp2()).url);
  onTestFinished(() => session.close());
  const stream = session.request({ ':method': 'POST', ...track.headers });
  stream.end(track.body);
  const [headers] = await once(stream, 'response');
  expect(headers[':status']).toBe(200);
});

test('a body that is too large is refused by its Content-Length before any of it arrives', async () => {
  const { url, events } = await serve({ maxBytes: 1000 });
  const connection = dial(url);
  await connection.write(head({ 'content-length': '1001' }));
  expect(await connection.receives('\r\n\r\n')).toContain('HTTP/1.1 413');
  expect(events).toEqual([]);
});

test('a body in chunks is refused as soon as it exceeds the limit', async () => {
  const { url } = await serve({ maxBytes: 1000 });
  const connection = dial(url);
  await connection.write(head({ 'transfer-encoding': 'chunked' }) + chunk('x'.repeat(1000)));
  await connection.write(chunk('x'));
  expect(await connection.receives('\r\n\r\n')).toContain('HTTP/1.1 413');
});

test.each([
  ['with a Content-Length', 'x'.repeat(200_000)],
  ['in chunks', new Blob(['x'.repeat(200_000)]).stream()],
])('the sender of a body that is too large receives the 413 if it sends %s', async (_, body) => {
  const { url } = await serve();
  const response = await fetch(url, { ...track, body, duplex: 'half' } as RequestInit);
  expect(response.status).toBe(413);
});

test('the connection of a body that is too large and never ends is cut', async () => {
  const { url } = await serve();
  const connection = dial(url);
  await connection.write(head({ 'transfer-encoding': 'chunked' }));
  const sending = connection.writeUntilClosed(chunk('x'.repeat(60_000)));
  await connection.closed;
  await sending;
});

test('the connection of a body whose Content-Length is too large and that never ends is cut', async () => {
  const { url } = await serve();
  const connection = dial(url);
  await connection.write(head({ 'content-length': '1000000000000' }));
  const sending = connection.writeUntilClosed('x'.repeat(60_000));
  await connection.closed;
  await sending;
});

test('a delivery whose sender hangs up in the middle is refused and not handled', async () => {
  const { url, events, refused, refusal } = await serve();
  const connection = dial(url);
  await connection.write(head({ 'content-length': String(track.body.length), 'x-signature': signature }));
  await connection.write(track.body.slice(0, -1));
  connection.end();
  await refusal;
  expect(refused).toMatchObject([{ status: 400, message: 'The connection ended before the body did' }]);
  expect(events).toEqual([]);
});

test('a sender that stops in the middle of a body gets 408, and its connection is closed', async () => {
  const { url, events } = await serve({ bodyTimeout: 20 });
  const connection = dial(url);
  // This is written in one piece, because the time limit of a body begins with the headers.
  const begun = head({ 'content-length': String(track.body.length), 'x-signature': signature });
  await connection.write(begun + track.body.slice(0, -1));
  const answer = await connection.receives('\r\n\r\n');
  expect(answer).toContain('HTTP/1.1 408');
  expect(answer.toLowerCase()).toContain('connection: close');
  await connection.closed;
  expect(events).toEqual([]);
});
