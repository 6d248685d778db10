import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { methodNotAllowed } from 'hono/method-not-allowed';
import type { Handler } from '../../collector/server.js';
import type { AdminApi } from './admin-api.js';
import type { AdminAuth } from './admin-auth.js';
import { deletionRoutes } from './deletion-routes.js';
import { deliveryRoutes, destinationRoutes } from './destination-routes.js';
import type { Env } from './env.js';
import { ApiRefusal, refusals } from './refusals.js';
import { sessionRoutes } from './session-routes.js';
import { sourceRoutes } from './source-routes.js';
import { checkTarget } from './target-limits.js';
import type { ErrorAnswer } from './types.js';

/** What a browser is shown, given by whoever has a page. Each answers the request itself. */
export interface PageHandlers {
  page(incoming: IncomingMessage, outgoing: ServerResponse): void;
  /** What happens, as it happens. */
  feed(incoming: IncomingMessage, outgoing: ServerResponse): void;
}

export interface AppOptions {
  readonly api: AdminApi;
  readonly auth: AdminAuth;
  readonly pageHandlers: PageHandlers | undefined;
  readonly audiences: Hono;
  onError(error: unknown): void;
}

/** For every answer that is not the page: nothing of it is kept, framed or guessed at. */
const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** Everything the service answers that is not the collector's. */
export function createApp({ api, auth, pageHandlers, audiences, onError }: AppOptions): Handler {
  const app = new Hono<Env>({ strict: false });
  app.use(async (context, next) => {
    for (const [name, value] of Object.entries(HEADERS)) context.header(name, value);
    await next();
  });
  app.use(async ({ req }, next) => {
    checkTarget(req);
    await next();
  });
  app.use(methodNotAllowed({ app, onMethodNotAllowed: refuseMethod }));
  app.onError((error, context) => {
    if (error instanceof ApiRefusal) return answerRefusal(context, error);
    onError(error);
    return answerRefusal(context, isMistake(error) ? refusals.internalError() : refusals.notDone());
  });
  app.notFound((context) => answerRefusal(context, refusals.unknown('such path')));
  addOpen(app, api, pageHandlers);
  app.route('/v1/session', sessionRoutes(auth));
  app.use('/v1/*', async ({ env, req }, next) => {
    await auth.admit({ method: req.method, headers: env.incoming.headers });
    await next();
  });
  app.get('/v1/status', async (context) => context.json(await api.status()));
  app.route('/v1/sources', sourceRoutes(api));
  app.route('/v1/destinations', destinationRoutes(api));
  app.route('/v1/deliveries', deliveryRoutes(api));
  app.route('/v1/deletions', deletionRoutes(api));
  app.route('/v1/audiences', audiences);
  if (pageHandlers !== undefined)
    app.get('/v1/feed', ({ env, req }) => handOver(env, feedOf(pageHandlers, auth, req.method)));
  return listener(app);
}

/** What needs no token: none of it says what was sent, by whom or to whom. */
function addOpen(app: Hono<Env>, api: AdminApi, pageHandlers: PageHandlers | undefined): void {
  app.get('/healthz', (context) => context.json({ status: 'ok' }));
  app.get('/readyz', async (context) => {
    await api.assertReady();
    return context.json({ status: 'ok' });
  });
  app.get('/metrics', async (context) => {
    const { text, contentType } = await api.metrics();
    return context.body(text, 200, { 'Content-Type': contentType });
  });
  if (pageHandlers !== undefined)
    app.get('/', ({ env }) => handOver(env, (...exchange) => pageHandlers.page(...exchange)));
}

/** The feed goes on for hours, so it ends with the session that it was opened with. */
function feedOf(pageHandlers: PageHandlers, auth: AdminAuth, method: string): PageHandlers['feed'] {
  return (incoming, outgoing) => {
    const stopWatching = auth.watch({ method, headers: incoming.headers }, () => outgoing.end());
    outgoing.once('close', stopWatching);
    pageHandlers.feed(incoming, outgoing);
  };
}

function handOver({ incoming, outgoing }: HttpBindings, answer: PageHandlers['page']): Response {
  answer(incoming, outgoing);
  return RESPONSE_ALREADY_SENT;
}

function listener(app: Hono<Env>): Handler {
  const listen = getRequestListener(
    // Only HTTP/1 servers are handed this handler, so these are its bindings.
    (request, bindings) => app.fetch(request, bindings as HttpBindings),
    { hostname: 'localhost', overrideGlobalObjects: false },
  );
  return (incoming, outgoing) => void listen(incoming, outgoing);
}

/** Everything else that is thrown comes from the store, and may work the next time. */
const isMistake = (error: unknown): boolean =>
  error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;

const refuseMethod = (context: Context, methods: readonly string[]): Response =>
  answerRefusal(context, refusals.methodNotAllowed(methods.join(', ')));

function answerRefusal(context: Context, { status, code, message, headers }: ApiRefusal): Response {
  return context.json({ code, message } satisfies ErrorAnswer, status, headers);
}
