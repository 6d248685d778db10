import { gzipSync } from 'node:zlib';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { expect, onTestFinished, test } from 'vitest';
import { Collector, type CollectorOptions, type ReceivedMessage } from '../../src/collector/index.js';
import { toFetch } from '../../src/collector/web.js';
import { Analytics } from '../../src/index.js';
import { serve } from '../support/loopback.js';
import { basic, deferred, track } from './support.js';

const URL_OF_BATCHES = 'https://example.com/v1/batch';
const HEADERS = { authorization: basic('dev'), 'content-type': 'application/json' };
const BATCH = JSON.stringify({ batch: [track()] });
const FIVE_MB = 5 * 1024 * 1024;

function collecting(options: Partial<CollectorOptions> = {}) {
  const messages: ReceivedMessage[] = [];
  const onMessages = (received: ReceivedMessage[]) => void messages.push(...received);
  const collector = new Collector({ writeKeys: ['dev'], onMessages, ...options });
  onTestFinished(() => collector.close());
  return { collector, messages, fetch: collector.fetch };
}

const requestOf = (
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  init: RequestInit & { duplex?: 'half' } = {},
): Request => new Request(URL_OF_BATCHES, { method: 'POST', body, ...init, headers: { ...HEADERS, ...init.headers } });

/** A body of these parts; whether it ends is given by `end`. */
function streamOf(parts: readonly string[], end: 'ends' | 'breaks' | 'stays open'): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(new TextEncoder().encode(part));
      if (end === 'ends') controller.close();
      if (end === 'breaks') controller.error(new Error('cut off'));
    },
  });
}

const streaming = (body: ReadableStream<Uint8Array>, headers: Record<string, string> = {}): Request =>
  requestOf(body, { headers, duplex: 'half' });

test('the fetch of a collector accepts a web-standard request and responds like its handler', async () => {
  const { fetch, messages } = collecting();
  const response = await fetch(requestOf(BATCH));
  expect([response.status, await response.text()]).toEqual([200, '{"success":true}']);
  expect(Object.fromEntries(response.headers)).toEqual({ 'content-type': 'application/json', 'content-length': '16' });
  expect(messages).toMatchObject([{ event: 'Order Completed', userId: 'u1' }]);
});

test('the fetch of a collector reads a body that arrives in parts', async () => {
  const { fetch, messages } = collecting();
  const response = await fetch(streaming(streamOf([BATCH.slice(0, 9), BATCH.slice(9, 30), BATCH.slice(30)], 'ends')));
  expect(response.status).toBe(200);
  expect(messages).toHaveLength(1);
});

test('the fetch of a collector decompresses gzip', async () => {
  const { fetch, messages } = collecting();
  const response = await fetch(requestOf(new Uint8Array(gzipSync(BATCH)), { headers: { 'content-encoding': 'gzip' } }));
  expect(response.status).toBe(200);
  expect(messages).toHaveLength(1);
});

test('the fetch of a collector refuses a gzip bomb', async () => {
  const bomb = new Uint8Array(gzipSync(Buffer.alloc(FIVE_MB, 32)));
  const response = await collecting().fetch(requestOf(bomb, { headers: { 'content-encoding': 'gzip' } }));
  expect([response.status, await response.json()]).toMatchObject([400, { code: 'body_too_large' }]);
});

test('the fetch of a collector refuses a body that is declared too long before reading it', async () => {
  const { fetch } = collecting();
  let pulled = 0;
  const body = new ReadableStream<Uint8Array>({ pull: () => void pulled++ }, { highWaterMark: 0 });
  const response = await fetch(streaming(body, { 'content-length': String(FIVE_MB) }));
  expect(response.status).toBe(400);
  expect(response.headers.has('connection')).toBe(false);
  expect(pulled).toBeLessThanOrEqual(1);
  await response.body?.cancel();
});

test('the fetch of a collector stops reading an endless body at the limit, and cancels it', async () => {
  const { fetch } = collecting();
  const cancelled = deferred();
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 65_536;
      controller.enqueue(new Uint8Array(65_536));
    },
    cancel: () => cancelled.resolve(),
  });
  const response = await fetch(streaming(body));
  expect([response.status, await response.json()]).toMatchObject([400, { code: 'body_too_large' }]);
  await cancelled.promise;
  expect(sent).toBeLessThan(2 * FIVE_MB);
});

test('the fetch of a collector gives up on a body that does not arrive', async () => {
  const { fetch } = collecting({ bodyTimeout: 20 });
  const response = await fetch(streaming(streamOf(['{'], 'stays open')));
  expect([response.status, await response.json()]).toMatchObject([408, { code: 'body_timeout' }]);
});

test('a body that breaks off, or is shorter than its Content-Length, is not treated as bad JSON', async () => {
  const { fetch, messages } = collecting();
  const broken = await fetch(streaming(streamOf([BATCH], 'breaks')));
  expect(broken.status).toBe(499);
  const short = await fetch(streaming(streamOf([BATCH], 'ends'), { 'content-length': String(BATCH.length + 1) }));
  expect(short.status).toBe(499);
  expect(messages).toEqual([]);
});

test('the fetch of a collector reports a body that other code has already read', async () => {
  const { fetch } = collecting();
  const request = requestOf(BATCH);
  await request.text();
  const response = await fetch(request);
  expect([response.status, await response.json()]).toMatchObject([500, { code: 'body_already_read' }]);
});

test.each([
  ['GET', '/healthz', 200, '{"status":"ok"}'],
  ['HEAD', '/healthz', 200, ''],
  ['GET', '/metrics', 404, /not_found/],
  ['GET', '/v1/batch', 405, /method_not_allowed/],
  ['OPTIONS', '/v1/batch', 204, ''],
  ['GET', '/elsewhere', 404, /not_found/],
])('the fetch of a collector answers %s %s with %i', async (method, path, status, text) => {
  const response = await collecting().fetch(new Request(`https://example.com${path}`, { method }));
  expect(response.status).toBe(status);
  expect(await response.text()).toMatch(text);
});

test("a page of another origin may read the response of a collector's fetch", async () => {
  const response = await collecting().fetch(requestOf(BATCH, { headers: { origin: 'https://shop.example' } }));
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
});

test('the fetch of a closed collector answers 503, and close() waits for messages being stored', async () => {
  const stored = deferred();
  const { collector, fetch } = collecting({ onMessages: () => stored.promise });
  const taken = fetch(requestOf(BATCH));
  const closed = collector.close();
  expect((await fetch(requestOf(BATCH))).status).toBe(503);
  stored.resolve();
  expect((await taken).status).toBe(200);
  await closed;
});

test('a client delivers through the fetch of a collector that is mounted in Hono below a path', async () => {
  const { fetch, messages } = collecting();
  const app = new Hono().all('/in/events/*', (context) => fetch(context.req.raw));
  const url = await serve(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  const analytics = new Analytics({ writeKey: 'dev', endpoint: `${url}/in/events` });
  for (let n = 0; n < 500; n++) analytics.track({ userId: 'u1', event: 'Order Completed' });
  expect(await analytics.close()).toMatchObject({ delivered: 500, lost: 0 });
  expect(messages).toHaveLength(500);
});

test('the body of a long response waits for its reader, and its end does not wait for the rest', async () => {
  let waited = false;
  const fetch = toFetch((_incoming, outgoing) => {
    outgoing.writeHead(200, { 'Content-Type': 'text/plain' });
    for (let n = 0; n < 40; n++) waited = !outgoing.write(Buffer.alloc(65_536, 97)) || waited;
    outgoing.end();
  });
  const response = await fetch(new Request('https://example.com/'));
  expect((await response.text()).length).toBe(40 * 65_536);
  expect(waited).toBe(true);
});

test('when the reader of a response is gone, the response is closed for its writer', async () => {
  const closed = deferred();
  const fetch = toFetch((_incoming, outgoing) => {
    outgoing.once('close', closed.resolve);
    outgoing.writeHead(200, { 'Set-Cookie': ['a=1', 'b=2'] });
    outgoing.flushHeaders();
    outgoing.write('first');
  });
  const response = await fetch(new Request('https://example.com/feed'));
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  await response.body?.cancel();
  await closed.promise;
});

test('a request whose handler closes it without a response is rejected', async () => {
  const fetch = toFetch((_incoming, outgoing) => void outgoing.destroy());
  await expect(fetch(new Request('https://example.com/'))).rejects.toThrow('closed before it was answered');
});
