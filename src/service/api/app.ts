import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { secureHeaders } from 'hono/secure-headers';
import type { Handler } from '../../collector/server.js';
import type { AdminApi } from './admin-api.js';
import type { AdminAuth } from './admin-auth.js';
import { deletionRoutes } from './deletion-routes.js';
import { deliveryRoutes, destinationRoutes } from './destination-routes.js';
import { ApiRefusal, refusals } from './refusals.js';
import { addRoutes, type Env, type Routes } from './routes.js';
import { sessionRoutes } from './session-routes.js';
import { sourceRoutes } from './source-routes.js';
import { checkTarget } from './target-limits.js';
import type { ErrorAnswer, Route } from './types.js';

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

/** Nothing of an answer is kept, framed or guessed at. A proxy in front says whether this is reached by https alone. */
const SECURITY = secureHeaders({
  contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  strictTransportSecurity: false,
});

/** What needs no token: none of it says what was sent, by whom or to whom. */
type OpenRoute = Extract<Route, 'GET /' | 'GET /healthz' | 'GET /readyz' | 'GET /metrics' | `${string} /v1/session`>;

/** What only a service with a page has. */
type PageRoute = 'GET /' | 'GET /v1/feed';

/** Everything the service answers that is not the collector's. */
export function createApp({ api, auth, pageHandlers, audiences, onError }: AppOptions): Handler {
  const app = new Hono<Env>({ strict: false });
  app.use(SECURITY);
  app.use(async (context, next) => {
    context.header('Cache-Control', 'no-store');
    checkTarget(context.req);
    await next();
  });
  app.use(methodNotAllowed({ app, onMethodNotAllowed: refuseMethod }));
  app.onError((error, context) => {
    if (error instanceof ApiRefusal) return answerRefusal(context, error);
    onError(error);
    return answerRefusal(context, isMistake(error) ? refusals.internalError() : refusals.notDone());
  });
  app.notFound((context) => answerRefusal(context, refusals.unknown('such path')));
  const open: Omit<Pick<Routes, OpenRoute>, PageRoute> = {
    'GET /healthz': () => ({ status: 'ok' }),
    async 'GET /readyz'() {
      await api.assertReady();
      return { status: 'ok' };
    },
    async 'GET /metrics'(context) {
      const { text, contentType } = await api.metrics();
      context.header('Content-Type', contentType);
      return text;
    },
    ...sessionRoutes(auth),
  };
  const admin: Omit<Routes, OpenRoute | PageRoute | keyof Routes<'/v1/audiences'>> = {
    'GET /v1/status': () => api.status(),
    ...sourceRoutes(api),
    ...destinationRoutes(api),
    ...deliveryRoutes(api),
    ...deletionRoutes(api),
  };
  const admit = (context: Context<Env>): Promise<void> => auth.admit(context);
  addRoutes(app, open);
  addRoutes(app, admin, admit);
  app.use('/v1/audiences/*', async (context, next) => {
    await admit(context);
    await next();
  });
  app.route('/v1/audiences', audiences);
  if (pageHandlers !== undefined) {
    addRoutes(app, { 'GET /': ({ env }) => handOver(env, (...exchange) => pageHandlers.page(...exchange)) });
    addRoutes(app, { 'GET /v1/feed': (context) => handOver(context.env, feedOf(pageHandlers, auth, context)) }, admit);
  }
  return listener(app);
}

/** The feed goes on for hours, so it ends with the session that it was opened with. */
function feedOf(pageHandlers: PageHandlers, auth: AdminAuth, context: Context): PageHandlers['feed'] {
  return (incoming, outgoing) => {
    const stopWatching = auth.watch(context, () => outgoing.end());
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
