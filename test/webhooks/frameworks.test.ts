import { once } from 'node:events';
import type { Server } from 'node:http';
import { serve } from '@hono/node-server';
import { bodyParser } from '@koa/bodyparser';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  createReceiver,
  type Receiver,
  sign,
  toFastifyPlugin,
  toKoaMiddleware,
  toNodeHandler,
  toWebHandler,
} from '../../src/webhooks/index.js';
import { sampleDeliveries, sampleDelivery, sampleEvents } from '../../src/webhooks/testing/index.js';
import { chunk, closeServer, dial, head, listen, urlOf } from './listen.js';

const secret = 'shhh';

/** Serves deliveries at /webhooks, and at /orders another route of the user that reads JSON. */
type Mount = (receiver: Receiver) => Promise<string>;

const onExpress: Mount = (receiver) => {
  const app = express();
  app.post('/webhooks', toNodeHandler(receiver));
  app.use(express.json());
  app.post('/orders', (request, response) => void response.json(request.body));
  return listen(app);
};

const onExpressRaw: Mount = (receiver) => {
  const app = express();
  app.post('/webhooks', express.raw({ type: 'application/json' }), toNodeHandler(receiver));
  app.post('/orders', express.json(), (request, response) => void response.json(request.body));
  return listen(app);
};

const onExpressKeptBody: Mount = (receiver) => {
  const app = express();
  app.use(express.json({ verify: (request, _response, bytes) => Object.assign(request, { rawBody: bytes }) }));
  app.post('/webhooks', toNodeHandler(receiver));
  app.post('/orders', (request, response) => void response.json(request.body));
  return listen(app);
};

const koaOrders = async (context: Koa.Context): Promise<void> => {
  context.body = context.request.body;
};

const onKoa: Mount = (receiver) => {
  const webhooks = toKoaMiddleware(receiver);
  const app = new Koa();
  app.use((context, next) => (context.path === '/webhooks' ? webhooks(context) : next()));
  app.use(bodyParser());
  app.use(koaOrders);
  return listen(app.callback());
};

const onKoaBehindParser: Mount = (receiver) => {
  const webhooks = toKoaMiddleware(receiver);
  const app = new Koa();
  app.use(bodyParser());
  app.use((context) => (context.path === '/webhooks' ? webhooks(context) : koaOrders(context)));
  return listen(app.callback());
};

function newFastify() {
  // Without this, closing would wait for connections on which a refused body is still arriving.
  const app = fastify({ forceCloseConnections: true });
  onTestFinished(() => app.close());
  return app;
}

const onFastify: Mount = async (receiver) => {
  const app = newFastify();
  app.register(toFastifyPlugin(receiver), { prefix: '/webhooks' });
  app.post('/orders', async (request) => request.body);
  return app.listen({ port: 0, host: '127.0.0.1' });
};

const onHono: Mount = async (receiver) => {
  const handle = toWebHandler(receiver);
  const app = new Hono();
  app.post('/webhooks', (context) => handle(context.req.raw));
  app.post('/orders', async (context) => context.json(await context.req.json()));
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1', overrideGlobalObjects: false }) as Server;
  if (!server.listening) await once(server, 'listening');
  onTestFinished(() => closeServer(server));
  return urlOf(server);
};

describe.each([
  ['Express before its JSON parser', onExpress],
  ['Express with express.raw()', onExpressRaw],
  ['Express with a JSON parser that keeps the bytes', onExpressKeptBody],
  ['Koa before its body parser', onKoa],
  ['Koa behind a body parser that keeps the text', onKoaBehindParser],
  ['Fastify', onFastify],
  ['Hono on Node', onHono],
])('on %s', (_, mount) => {
  const mountNoting = async (options = {}) => {
    const events: unknown[] = [];
    const receiver = createReceiver({ secrets: secret, onEvent: (event) => events.push(event), ...options });
    return { url: await mount(receiver), events };
  };

  test("a delivery of each type is accepted by the framework's adapter", async () => {
    const { url, events } = await mountNoting();
    for (const delivery of sampleDeliveries({ secret })) {
      expect((await fetch(`${url}/webhooks`, delivery)).status).toBe(200);
    }
    expect(events).toEqual(Object.values(sampleEvents));
  });

  test('a signature is checked over the received bytes, even if JSON.stringify would write them differently', async () => {
    const { url } = await mountNoting();
    const { body } = sampleDelivery('track', { fields: { note: 'naïve ☃' } });
    const spaced = ` ${body.replaceAll('":', '" :\t')} `;
    const headers = { 'content-type': 'application/json', 'x-signature': sign(spaced, secret) };
    expect((await fetch(`${url}/webhooks`, { method: 'POST', headers, body: spaced })).status).toBe(200);
  });

  test('a missing and a wrong signature get the same answer', async () => {
    const { url } = await mountNoting();
    const answers = [sampleDelivery('track'), sampleDelivery('track', { secret: 'another' })].map(async (delivery) => {
      const response = await fetch(`${url}/webhooks`, delivery);
      return [response.status, await response.text(), [...response.headers.keys()]];
    });
    const [missing, wrong] = await Promise.all(answers);
    expect(missing?.slice(0, 2)).toEqual([401, 'The signature is missing or wrong\n']);
    expect(wrong).toEqual(missing);
  });

  test('a delivery whose handler fails is answered 500', async () => {
    const { url } = await mountNoting({ onEvent: () => Promise.reject(new Error('no')), onError: () => {} });
    expect((await fetch(`${url}/webhooks`, sampleDelivery('track', { secret }))).status).toBe(500);
  });

  test('other routes of the framework still parse their JSON', async () => {
    const { url } = await mountNoting();
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/orders`, { method: 'POST', headers, body: '{"total":42}' });
    expect(await response.json()).toEqual({ total: 42 });
  });
});

describe.each([
  ['Express', onExpress],
  ['Koa', onKoa],
  ['Fastify', onFastify],
  ['Hono on Node', onHono],
])('on %s', (_, mount) => {
  test.each([
    ['a Content-Length', () => 'x'.repeat(200_000)],
    ['chunks', () => new Blob(['x'.repeat(200_000)]).stream()],
  ])('a body that is too large is refused with 413 when it is sent with %s', async (__, bodyOf) => {
    const url = await mount(createReceiver({ secrets: secret, onEvent: () => {} }));
    const request = { ...sampleDelivery('track', { secret }), body: bodyOf(), duplex: 'half' };
    expect((await fetch(`${url}/webhooks`, request as RequestInit)).status).toBe(413);
  });

  test('the connection of a body that never ends is cut', async () => {
    const url = await mount(createReceiver({ secrets: secret, onEvent: () => {} }));
    const connection = dial(url);
    await connection.write(head({ 'transfer-encoding': 'chunked' }, '/webhooks'));
    const sending = connection.writeUntilClosed(chunk('x'.repeat(60_000)));
    await connection.closed;
    await sending;
  });
});

describe('a body that the framework consumed', () => {
  const post = async (mount: Mount): Promise<[number, string]> => {
    const url = await mount(createReceiver({ secrets: secret, onEvent: () => {}, onError: () => {} }));
    const response = await fetch(`${url}/webhooks`, sampleDelivery('track', { secret }));
    return [response.status, await response.text()];
  };

  test('a body consumed by express.json() is answered 500 with advice', async () => {
    const answer = await post((receiver) => listen(express().use(express.json(), toNodeHandler(receiver))));
    expect(answer).toEqual([500, expect.stringContaining('before express.json(), or put express.raw(')]);
  });

  test('a body consumed by request.json() on Hono is answered 500 with advice', async () => {
    const answer = await post(async (receiver) => {
      const handle = toWebHandler(receiver);
      const app = new Hono();
      app.post('/webhooks', async (context) => {
        await context.req.json();
        return handle(context.req.raw);
      });
      const server = serve({
        fetch: app.fetch,
        port: 0,
        hostname: '127.0.0.1',
        overrideGlobalObjects: false,
      }) as Server;
      if (!server.listening) await once(server, 'listening');
      onTestFinished(() => closeServer(server));
      return urlOf(server);
    });
    expect(answer).toEqual([500, expect.stringContaining('before anything calls request.json()')]);
  });
});
