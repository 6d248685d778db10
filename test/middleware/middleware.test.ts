import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { getRequestListener, serve } from '@hono/node-server';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  expressMiddleware,
  fastifyPlugin,
  honoMiddleware,
  koaMiddleware,
  type RequestOptions,
  withRun,
} from '../../src/middleware/index.js';
import { client } from '../support/client.js';
import { sink } from '../support/sink.js';

const OPTIONS = {
  ip: true,
  userAgent: true,
  page: { query: true },
  anonymousId: { cookie: 'aid' },
} satisfies RequestOptions;

type Messages = { event: string; userId?: string; anonymousId: string; context: { ip?: string; page: object } }[];

async function connected() {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  /** What a handler does, both nested and delayed. */
  const handle = async (user: string): Promise<void> => {
    await delay(1);
    analytics.enrich({ userId: user });
    await delay(1);
    analytics.current.track({ event: `of ${user}` });
  };
  const sent = async () => {
    await analytics.flush();
    return collector.messages as unknown as Messages;
  };
  return { analytics, handle, sent };
}

function listening(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => void server.close());
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as { port: number }).port}`));
  });
}

/** Sends two concurrent requests of different users, with bodies that arrive late. */
async function ask(url: string): Promise<void> {
  const post = async (user: string): Promise<void> => {
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(Buffer.from(`{"user":`));
        await delay(5);
        controller.enqueue(Buffer.from(`"${user}"}`));
        controller.close();
      },
    });
    const headers = { 'content-type': 'application/json', cookie: `aid=a-${user}`, 'user-agent': 'test' };
    const answer = await fetch(`${url}/app/buy?n=1`, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
    expect(answer.status).toBe(200);
  };
  await Promise.all(['u1', 'u2'].map(post));
}

function expectBoth(messages: Messages, url: string, ip: string | undefined): void {
  const expected = ['u1', 'u2'].map((user) => ({
    event: `of ${user}`,
    userId: user,
    anonymousId: `a-${user}`,
    context: { userAgent: 'test', page: { url: `${url}/app/buy?n=1`, path: '/app/buy', search: '?n=1' } },
  }));
  expect(messages.toSorted((a, b) => a.event.localeCompare(b.event))).toMatchObject(expected);
  expect(messages.map(({ context }) => context.ip)).toEqual([ip, ip]);
}

test('in Express, calls in handlers, after a body parser and in a router belong to their request', async () => {
  const { analytics, handle, sent } = await connected();
  const router = express.Router().post('/buy', async (request, response) => {
    await handle(request.body.user);
    response.end();
  });
  const app = express().use('/app', expressMiddleware(analytics, OPTIONS)).use(express.json()).use('/app', router);
  const url = await listening(app);
  await ask(url);
  expectBoth(await sent(), url, '127.0.0.1');
});

test('in Express, the `ip` option can return the address that Express knows', async () => {
  const { analytics, handle, sent } = await connected();
  const app = express().set('trust proxy', true);
  app.use(expressMiddleware<express.Request>(analytics, { ip: (request) => request.ip }));
  app.get('/', async (_request, response) => {
    await handle('u1');
    response.end();
  });
  await fetch(await listening(app), { headers: { 'x-forwarded-for': '7.7.7.7' } });
  expect((await sent())[0]?.context.ip).toBe('7.7.7.7');
});

test('in Fastify, calls in handlers, in other plugins and after the body parser belong to their request', async () => {
  const { analytics, handle, sent } = await connected();
  const app = fastify();
  onTestFinished(() => app.close());
  app.register(fastifyPlugin(analytics, OPTIONS));
  app.register(
    async (inner) => {
      inner.post('/buy', async (request) => {
        await handle((request.body as { user: string }).user);
        return '';
      });
    },
    { prefix: '/app' },
  );
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  await ask(url);
  expectBoth(await sent(), url, '127.0.0.1');
});

test('in Fastify, the `ip` option can return the address that Fastify knows', async () => {
  const { analytics, handle, sent } = await connected();
  const app = fastify({ trustProxy: true });
  onTestFinished(() => app.close());
  app.register(fastifyPlugin(analytics, { ip: (request) => request.ip }));
  app.get('/', () => handle('u1'));
  await fetch(await app.listen({ port: 0, host: '127.0.0.1' }), { headers: { 'x-forwarded-for': '7.7.7.7' } });
  expect((await sent())[0]?.context.ip).toBe('7.7.7.7');
});

test('in Koa, the `ip` option can return the address that Koa knows', async () => {
  const { analytics, handle, sent } = await connected();
  const app = new Koa({ proxy: true });
  app.use(koaMiddleware(analytics, { ip: (context) => context.ip }));
  app.use(() => handle('u1'));
  await fetch(await listening(app.callback()), { headers: { 'x-forwarded-for': '7.7.7.7' } });
  expect((await sent())[0]?.context.ip).toBe('7.7.7.7');
});

test('in Koa, calls in handlers that read the body belong to their request', async () => {
  const { analytics, handle, sent } = await connected();
  const app = new Koa();
  app.use(koaMiddleware(analytics, OPTIONS));
  app.use(async (context) => {
    const chunks = await context.req.toArray();
    await handle(JSON.parse(Buffer.concat(chunks).toString()).user);
    context.status = 200;
  });
  const url = await listening(app.callback());
  await ask(url);
  expectBoth(await sent(), url, '127.0.0.1');
});

test('in Hono on Node, calls in handlers that read the body belong to their request', async () => {
  const { analytics, handle, sent } = await connected();
  const app = new Hono().use(honoMiddleware(analytics, OPTIONS)).post('/app/buy', async (context) => {
    await handle((await context.req.json()).user);
    return context.text('');
  });
  const url = await new Promise<string>((resolve) => {
    const server = serve(
      { fetch: app.fetch, port: 0, hostname: '127.0.0.1', overrideGlobalObjects: false },
      ({ port }) => resolve(`http://127.0.0.1:${port}`),
    );
    onTestFinished(() => void server.close());
  });
  await ask(url);
  expectBoth(await sent(), url, '127.0.0.1');
});

test('a wrapped handler of web requests receives its arguments, and its calls belong to its request', async () => {
  const { analytics, handle, sent } = await connected();
  const POST = withRun(
    analytics,
    async (request: Request, { params }: { params: { id: string } }) => {
      await handle(((await request.json()) as { user: string }).user);
      return new Response(params.id);
    },
    { ...OPTIONS, trustedProxies: 1 },
  );
  const post = async (user: string) => {
    const headers = { cookie: `aid=a-${user}`, 'user-agent': 'test', 'x-forwarded-for': '8.8.8.8' };
    const body = JSON.stringify({ user });
    const request = new Request('https://shop.example/app/buy?n=1', { method: 'POST', headers, body });
    return (await POST(request, { params: { id: user } })).text();
  };
  expect(await Promise.all(['u1', 'u2'].map(post))).toEqual(['u1', 'u2']);
  expectBoth(await sent(), 'https://shop.example', '8.8.8.8');
});

test('a wrapped handler may answer a new visitor with a network error, which can have no cookie', async () => {
  const { analytics } = await connected();
  const error = Response.error();
  const GET = withRun(analytics, () => error, { anonymousId: { cookie: 'aid', set: {} } });
  expect(GET(new Request('https://shop.example/'))).toBe(error);
});

/** A platform, and a client that sends nothing until the platform waits for it. */
async function serverless() {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  const promises: Promise<unknown>[] = [];
  const paths: unknown[] = [];
  const waitUntil = (promise: Promise<unknown>, path: unknown): void => {
    promises.push(promise);
    paths.push(path);
  };
  const track = (): void => void analytics.track({ userId: 'u1', event: 'Order Completed' });
  const expectDelivered = async (path?: string): Promise<void> => {
    expect(paths).toEqual([path]);
    await Promise.all(promises);
    expect(collector.messages).toHaveLength(1);
  };
  return { analytics, waitUntil, track, expectDelivered };
}

test('in Express, the platform waits for the messages of a request', async () => {
  const { analytics, waitUntil, track, expectDelivered } = await serverless();
  const app = express();
  app.use(expressMiddleware<express.Request>(analytics, { waitUntil: (done, { path }) => waitUntil(done, path) }));
  app.get('/buy', (_request, response) => {
    track();
    response.end();
  });
  await fetch(`${await listening(app)}/buy`);
  await expectDelivered('/buy');
});

test('in Fastify, the platform waits for the messages of a request', async () => {
  const { analytics, waitUntil, track, expectDelivered } = await serverless();
  const app = fastify();
  onTestFinished(() => app.close());
  app.register(fastifyPlugin(analytics, { waitUntil: (done, { raw }) => waitUntil(done, raw.url) }));
  app.get('/buy', async () => track());
  await app.inject('/buy');
  await expectDelivered('/buy');
});

test('in Koa, the platform waits for the messages of a request', async () => {
  const { analytics, waitUntil, track, expectDelivered } = await serverless();
  const app = new Koa();
  app.use(koaMiddleware<Koa.Context>(analytics, { waitUntil: (done, { path }) => waitUntil(done, path) }));
  app.use(() => track());
  await fetch(`${await listening(app.callback())}/buy`);
  await expectDelivered('/buy');
});

/** The object that a platform such as Cloudflare passes to Hono; its methods need their `this`. */
class ExecutionContext {
  readonly props = {};
  readonly #waitUntil: (promise: Promise<unknown>, path: unknown) => void;

  constructor(waitUntil: (promise: Promise<unknown>, path: unknown) => void) {
    this.#waitUntil = waitUntil;
  }

  waitUntil(promise: Promise<unknown>): void {
    this.#waitUntil(promise, undefined);
  }

  passThroughOnException(): void {}
}

test("in Hono, the platform's execution context waits for the messages of a request", async () => {
  const { analytics, waitUntil, track, expectDelivered } = await serverless();
  const app = new Hono().use(honoMiddleware(analytics)).get('/buy', (context) => {
    track();
    return context.text('');
  });
  await app.fetch(new Request('https://shop.example/buy'), {}, new ExecutionContext(waitUntil));
  await expectDelivered();
});

test("in Hono, a `waitUntil` in the options overrides the platform's", async () => {
  const { analytics, waitUntil, track, expectDelivered } = await serverless();
  const app = new Hono();
  app.use(honoMiddleware(analytics, { waitUntil: (done, { req }) => waitUntil(done, new URL(req.raw.url).pathname) }));
  app.get('/buy', (context) => {
    track();
    return context.text('');
  });
  const unasked = () => expect.unreachable();
  await app.fetch(new Request('https://shop.example/buy'), {}, new ExecutionContext(unasked));
  await expectDelivered('/buy');
});

test('the platform waits for the messages of a wrapped handler of web requests', async () => {
  const { analytics, waitUntil, track, expectDelivered } = await serverless();
  const GET = withRun(analytics, () => track(), { waitUntil: (done, { url }) => waitUntil(done, url) });
  GET(new Request('https://shop.example/buy'));
  await expectDelivered('https://shop.example/buy');
});

const MAKERS = { expressMiddleware, koaMiddleware, fastifyPlugin, honoMiddleware, withRun };

test.each(Object.entries(MAKERS))('the middleware %s throws at once if it gets no client', (name, make) => {
  const hint = `Expected \`analytics\` to be a client, an \`Analytics\`, got undefined. Write ${name}(analytics, `;
  expect(() => (make as () => unknown)()).toThrow(hint);
});

/** An app in each framework that tracks a page view of each visitor, twice per request. */
const APPS: Record<string, (analytics: Client, options: RequestOptions) => Promise<string>> = {
  async Express(analytics, options) {
    const app = express().use(expressMiddleware(analytics, options));
    app.get('/', (_, response) => {
      trackPages(analytics);
      response.writeHead(200, { 'Set-Cookie': 'own=1' }).end('hello');
    });
    app.get('/public', (_, response) => {
      trackPages(analytics);
      response.set('Cache-Control', 'public, max-age=60').send('hello');
    });
    return listening(app);
  },
  async Koa(analytics, options) {
    const app = new Koa().use(koaMiddleware(analytics, options));
    app.use((context) => {
      trackPages(analytics);
      context.cookies.set('own', '1');
      if (context.path === '/public') context.set('Cache-Control', 's-maxage=60');
      context.body = 'hello';
    });
    return listening(app.callback());
  },
  async Fastify(analytics, options) {
    const app = fastify();
    onTestFinished(() => app.close());
    app.register(fastifyPlugin(analytics, options));
    app.get('/*', (request, reply) => {
      trackPages(analytics);
      if (request.url === '/public') reply.header('cache-control', 'public');
      return reply.header('set-cookie', 'own=1').send('hello');
    });
    return app.listen({ port: 0, host: '127.0.0.1' });
  },
  async Hono(analytics, options) {
    const app = new Hono().use(honoMiddleware(analytics, options));
    app.get('/*', (context) => {
      trackPages(analytics);
      context.header('Set-Cookie', 'own=1');
      if (context.req.path === '/public') context.header('Cache-Control', 'public');
      return context.text('hello');
    });
    return listening(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  },
  async 'a handler of web requests'(analytics, options) {
    const handle = async (request: Request): Promise<Response> => {
      trackPages(analytics);
      const headers = new Headers({ 'Set-Cookie': 'own=1' });
      if (new URL(request.url).pathname === '/public') headers.set('Cache-Control', 'public');
      return new Response('hello', { headers });
    };
    return listening(getRequestListener(withRun(analytics, handle, options), { overrideGlobalObjects: false }));
  },
};

type Client = Awaited<ReturnType<typeof connected>>['analytics'];

function trackPages(analytics: Client): void {
  for (const name of ['first', 'second']) analytics.current.page({ name });
}

const VISITORS: Record<string, string> = {
  nobody: '',
  'a visitor whose cookie is too long': `aid=${'a'.repeat(1_001)}`,
  'a visitor whose cookie has too many bytes': `aid=${encodeURIComponent('日'.repeat(900))}`,
  'a visitor whose cookie is what became of nothing': 'aid=undefined',
  'a visitor whose cookie is blank': 'aid=%20%20',
};
const everywhere = Object.keys(APPS).flatMap((app) => Object.keys(VISITORS).map((visitor) => [app, visitor] as const));

const COOKIE = { anonymousId: { cookie: 'aid' } } satisfies RequestOptions;
const SET = { anonymousId: { cookie: 'aid', set: { maxAge: 60 } } } satisfies RequestOptions;

const visit = (url: string, cookie = ''): Promise<Response> => fetch(url, { headers: { cookie } });

test.each(everywhere)('in %s, %s gets a response, one id for the whole request and no cookie', async (app, visitor) => {
  const { analytics, sent } = await connected();
  const url = await APPS[app]?.(analytics, COOKIE);
  const answers = [await visit(`${url}/`, VISITORS[visitor]), await visit(`${url}/`, VISITORS[visitor])];
  expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(['hello', 'hello']);
  expect(answers.map(({ headers }) => headers.getSetCookie().filter((line) => line.startsWith('aid')))).toEqual([
    [],
    [],
  ]);
  const [first, second, third, fourth] = (await sent()).map(({ anonymousId }) => anonymousId);
  expect([second, fourth]).toEqual([first, third]);
  expect(new Set([first, third]).size).toBe(2);
});

test.each(Object.keys(APPS))('in %s, a new visitor gets the configured cookie once', async (app) => {
  const { analytics, sent } = await connected();
  const url = await APPS[app]?.(analytics, SET);
  const [line = '', ...others] = (await visit(`${url}/`)).headers.getSetCookie().sort();
  expect(line).toMatch(/^aid=[\w-]{36}; Path=\/; Max-Age=60; SameSite=Lax; HttpOnly$/);
  expect(others).toHaveLength(1);
  const again = await visit(`${url}/`, line.split(';')[0]);
  expect(again.headers.getSetCookie()).toHaveLength(1);
  expect(new Set((await sent()).map(({ anonymousId }) => `aid=${anonymousId}`))).toEqual(new Set([line.split(';')[0]]));
});

const MISTAKES: Record<string, RequestOptions> = {
  'a user of too many bytes': { userId: () => '日'.repeat(900) },
  'a user of ill-formed text': { userId: () => '\ud800' },
  'a user that was not there': { userId: () => 'undefined' },
  'a user that comes later': { userId: (async () => Promise.reject(new Error('late'))) as never },
  'a function of the user that throws': {
    userId: () => {
      throw new Error('no session');
    },
  },
  'a function of the address that throws': {
    ip: () => {
      throw new Error('no address');
    },
  },
  'an address that is no text': { ip: () => 42 as never },
};
const mistaken = Object.keys(APPS).flatMap((app) => Object.keys(MISTAKES).map((mistake) => [app, mistake] as const));

test.each(mistaken)('in %s, %s does not keep the visitor from getting the response', async (app, mistake) => {
  const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  onTestFinished(() => emit.mockRestore());
  const { analytics, sent } = await connected();
  const url = await APPS[app]?.(analytics, MISTAKES[mistake] ?? {});
  const answer = await visit(`${url}/`);
  expect([answer.status, await answer.text()]).toEqual([200, 'hello']);
  expect(await sent()).toMatchObject(Array(2).fill({ anonymousId: expect.any(String) }));
});

test.each(Object.keys(APPS))('in %s, a public response does not set a cookie', async (app) => {
  const { analytics, sent } = await connected();
  const url = await APPS[app]?.(analytics, SET);
  const { headers } = await visit(`${url}/public`);
  expect(headers.getSetCookie().filter((line) => line.startsWith('aid'))).toEqual([]);
  expect(await sent()).toHaveLength(2);
});

test('a message that names its user does not get the id of the request', async () => {
  const { analytics, sent } = await connected();
  const app = express().use(expressMiddleware(analytics, { userId: (request) => Number(request.headers['x-user']) }));
  app.get('/', (_, response) => {
    analytics.track({ userId: 'u1', event: 'named' });
    analytics.current.track({ event: 'by the request' });
    response.end();
  });
  const url = await listening(app);
  await fetch(url, { headers: { 'x-user': '42' } });
  await fetch(url, { headers: { 'x-user': 'none' } });
  const ids = (await sent()).map(({ event, userId, anonymousId }) => [event, userId, anonymousId]);
  expect(ids).toEqual([
    ['named', 'u1', undefined],
    ['by the request', '42', undefined],
    ['named', 'u1', undefined],
    ['by the request', undefined, expect.any(String)],
  ]);
});

test.each(['Express', 'Koa'])('in %s, the `finish` event of the response belongs to the request', async (framework) => {
  const { analytics, sent } = await connected();
  const onFinish = (response: ServerResponse): void => {
    response.on('finish', () => analytics.current.track({ event: 'finished' }));
    analytics.enrich({ userId: 'u1' });
  };
  const answer = { Express: expressMiddleware(analytics), Koa: koaMiddleware(analytics) };
  const apps: Record<string, () => RequestListener> = {
    Express: () =>
      express().use(answer.Express, (_request, response) => {
        onFinish(response);
        response.send('hello');
      }),
    Koa: () =>
      new Koa()
        .use(answer.Koa)
        .use((context) => {
          onFinish(context.res);
          context.body = 'hello';
        })
        .callback(),
  };
  const listener = apps[framework]?.();
  if (listener === undefined) expect.fail(framework);
  await fetch(await listening(listener));
  await expect.poll(sent).toMatchObject([{ event: 'finished', userId: 'u1' }]);
});

test('in Hono, the client of a request is closed in `waitUntil` after the request was answered or failed', async () => {
  const made: string[] = [];
  const closed: Promise<unknown>[] = [];
  const app = new Hono<{ Variables: { analytics: { track(): void } } }>();
  app.use(
    honoMiddleware((context) => {
      const name = new URL(context.req.raw.url).pathname;
      made.push(`made ${name}`);
      return { run: (_, act) => act(), close: async () => made.push(`closed ${name}`) };
    }),
  );
  app.get('/good', (context) => context.text('good'));
  app.get('/bad', () => {
    throw new Error('bad');
  });
  app.onError((_, context) => context.text('failed', 500));
  const platform = {
    waitUntil: (promise: Promise<unknown>) => closed.push(promise),
    passThroughOnException() {},
    props: {},
  };
  for (const [path, status] of [
    ['/good', 200],
    ['/bad', 500],
  ] as const) {
    expect((await app.fetch(new Request(`http://h${path}`), {}, platform)).status).toBe(status);
  }
  await Promise.all(closed);
  expect(made).toEqual(['made /good', 'closed /good', 'made /bad', 'closed /bad']);
  expect(closed).toHaveLength(2);
});
