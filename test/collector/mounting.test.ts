import { createServer } from 'node:http';
import express from 'express';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { Collector, type CollectorOptions, type ReceivedMessage } from '../../src/collector/index.js';
import { Analytics } from '../../src/index.js';
import { serve } from '../support/loopback.js';
import { basic, deferred, listening, post, rawConnection, send, track } from './support.js';

function mountable(options: Partial<CollectorOptions> = {}) {
  const messages: ReceivedMessage[] = [];
  const onMessages = (received: ReceivedMessage[]) => void messages.push(...received);
  const collector = new Collector({ writeKeys: ['dev'], onMessages, ...options });
  onTestFinished(() => collector.close());
  return { handler: collector.handler, messages, close: () => collector.close() };
}

const batch = { batch: [track()] };
const json = { 'content-type': 'application/json' };

test('a collector is mounted in a bare server', async () => {
  const { handler, messages } = mountable();
  expect((await post(await serve(handler), batch)).text).toBe('{"success":true}');
  expect(messages).toHaveLength(1);
});

test('a mounted collector hides its metrics unless `metrics` is set', async () => {
  const [hidden, shown] = await Promise.all([serve(mountable().handler), serve(mountable({ metrics: true }).handler)]);
  expect(await send(hidden, '/metrics', { method: 'GET' })).toMatchObject({ status: 404, body: { code: 'not_found' } });
  expect((await send(shown, '/metrics', { method: 'GET' })).text).toContain('eventferry_collector_requests_total');
});

test('a collector is mounted in Express under a path, before the body parser', async () => {
  const { handler, messages } = mountable();
  const app = express().use('/events', handler).use(express.json());
  app.get('/', (_, res) => void res.send('app'));
  const url = await serve(app);
  for (const path of ['/events', '/events/']) {
    expect((await post(url + path, batch, json)).text).toBe('{"success":true}');
  }
  expect((await send(url, '/', { method: 'GET' })).text).toBe('app');
  expect(messages).toHaveLength(2);
});

test('a collector mounted in Express after a body parser reports the mistake and does not hang', async () => {
  const { handler } = mountable();
  const url = await serve(express().use(express.json()).use('/events', handler));
  expect(await post(`${url}/events`, batch, json)).toMatchObject({
    status: 500,
    body: { code: 'body_already_read' },
  });
});

test('a collector is mounted in Fastify in a scope whose parsers do not read the body', async () => {
  const { handler, messages } = mountable();
  const app = Fastify();
  onTestFinished(() => app.close());
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.all('/v1/*', (request, reply) => {
      reply.hijack();
      handler(request.raw, reply.raw);
    });
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  expect((await post(url, batch, json)).text).toBe('{"success":true}');
  expect((await post(url, batch)).text).toBe('{"success":true}');
  expect(messages).toHaveLength(2);
});

test('a collector is mounted in Fastify under a prefix, as in Express', async () => {
  const { handler, messages } = mountable();
  const app = Fastify();
  onTestFinished(() => app.close());
  app.register(
    async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
      scope.all('/*', (request, reply) => {
        reply.hijack();
        handler(request.raw, reply.raw);
      });
    },
    { prefix: '/in/events' },
  );
  const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/in/events`;
  const analytics = new Analytics({ writeKey: 'dev', endpoint: url });
  for (let n = 0; n < 500; n++) analytics.track({ userId: 'u1', event: 'Order Completed' });
  expect(await analytics.close()).toMatchObject({ delivered: 500, lost: 0 });
  expect(messages).toHaveLength(500);
  expect((await send(url, '/healthz', { method: 'GET' })).status).toBe(200);
  expect((await send(url, '/v1/elsewhere', { method: 'GET' })).status).toBe(404);
});

test("the collector's own server answers only at its own paths", async () => {
  const { url, messages } = await listening();
  expect((await send(url, '/in/events/v1/batch', { body: JSON.stringify(batch) })).status).toBe(404);
  expect(messages).toHaveLength(0);
});

test('a collector mounted in Fastify after its own parser reports the mistake and does not hang', async () => {
  const { handler } = mountable();
  const app = Fastify();
  onTestFinished(() => app.close());
  app.all('/v1/*', (request, reply) => {
    reply.hijack();
    handler(request.raw, reply.raw);
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  expect(await post(url, batch, json)).toMatchObject({ status: 500, body: { code: 'body_already_read' } });
});

test('a body that the host has paused is read', async () => {
  const { handler, messages } = mountable();
  const url = await serve((incoming, outgoing) => {
    incoming.pause();
    setImmediate(() => handler(incoming, outgoing));
  });
  expect((await post(url, batch)).status).toBe(200);
  expect(messages).toHaveLength(1);
});

test('a slow sender is disconnected in a host without deadlines', async () => {
  const collector = new Collector({ writeKeys: ['dev'], bodyTimeout: 50, onMessages: () => {} });
  const server = createServer({ requestTimeout: 0, headersTimeout: 0 }, collector.handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const { socket, ended } = await rawConnection(typeof address === 'object' && address !== null ? address.port : 0);
  socket.write(`POST /v1/batch HTTP/1.1\r\nHost: h\r\nAuthorization: ${basic('dev')}\r\nContent-Length: 9\r\n\r\n`);
  expect(await ended).toMatch(/^HTTP\/1\.1 408 /);
});

test('a client that disconnected before the host passed its request on does not delay close()', async () => {
  const { handler, messages, close } = mountable();
  const handedOn = deferred();
  const url = await serve((incoming, outgoing) => {
    outgoing.once('close', () => {
      handler(incoming, outgoing);
      handedOn.resolve();
    });
    incoming.socket.destroy();
  });
  await expect(post(url, batch)).rejects.toThrow();
  await handedOn.promise;
  await close();
  expect(messages).toEqual([]);
});
