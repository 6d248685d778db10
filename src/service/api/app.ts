import type { Context, Hono } from 'hono';
import { readBuiltFile } from '../../base/process/built-file.js';
import { once } from '../../base/structures/once.js';
import type { Observer } from '../service-observer.js';
import type { AdminApi } from './admin-api.js';
import type { AdminAuth } from './admin-auth.js';
import { addRoutes, createRouter, type Env, handOver, type Routes } from './admin-router.js';
import { deletionRoutes } from './deletion-routes.js';
import { deliveryRoutes } from './delivery-routes.js';
import { destinationRoutes } from './destination-routes.js';
import { encodedAnswer } from './encoded.js';
import { jobRoutes } from './job-routes.js';
import type { Api, Route } from './openapi-types.js';
import { refusals } from './refusals.js';
import { sessionRoutes } from './session-routes.js';
import { sourceRoutes } from './source-routes.js';
import { syncedRoutes } from './synced-routes.js';

/** The handlers of the page. Each writes the response itself. */
type PageHandlers = Pick<Observer, 'page' | 'feed'>;

export interface AppOptions {
  readonly api: AdminApi;
  readonly auth: AdminAuth;
  /** Undefined if the program has no page. */
  readonly pageHandlers: PageHandlers | undefined;
  onError(error: unknown): void;
}

/** Routes that need no token, because no answer says what was sent, by whom or to whom. */
type OpenRoute = { [R in Route]: Api[R] extends { open: true } ? R : never }[Route];

/** When the admin API has its own address, these paths are served at both addresses. */
type HealthRoute = 'GET /healthz' | 'GET /readyz';

/** These paths exist only in a service that has a page. */
type PageRoute = 'GET /' | 'GET /v1/feed';

const healthRoutes = ({ operations }: AdminApi): Pick<Routes, HealthRoute> => ({
  'GET /healthz': () => ({ status: 'ok' }),
  async 'GET /readyz'() {
    await operations.assertReady();
    return { status: 'ok' };
  },
});

/** Creates the app that serves the health routes beside the collector when the admin API has its own address. */
export function createHealthApp({ api, onError }: Pick<AppOptions, 'api' | 'onError'>): Hono<Env> {
  const app = createRouter(onError);
  addRoutes(app, healthRoutes(api));
  return app;
}

/** Creates the app for every path except those of the collector. */
export function createApp({ api, auth, pageHandlers, onError }: AppOptions): Hono<Env> {
  const app = createRouter(onError);
  const open: Omit<Pick<Routes, OpenRoute>, PageRoute> = {
    ...healthRoutes(api),
    'GET /v1/openapi.json': answerOpenApi,
    ...sessionRoutes(auth),
  };
  const metrics: Pick<Routes, 'GET /metrics'> = {
    async 'GET /metrics'(context) {
      const { text, contentType } = await api.operations.metrics();
      context.header('Content-Type', contentType);
      return text;
    },
  };
  const admin: Omit<Routes, OpenRoute | PageRoute | keyof typeof metrics> = {
    'GET /v1/status': () => api.operations.status(),
    'GET /v1/changes': (_, { limit, after }) => api.changes.list(limit, after),
    ...sourceRoutes(api),
    ...destinationRoutes(api),
    ...deliveryRoutes(api),
    ...jobRoutes(api),
    ...deletionRoutes(api),
    ...syncedRoutes(api),
  };
  const admit = (context: Context<Env>): Promise<void> => auth.admit(context);
  addRoutes(app, open);
  addRoutes(app, metrics, (context) => auth.admitScrape(context));
  addRoutes(app, admin, admit, (...done) => api.changes.note(...done));
  if (pageHandlers !== undefined) {
    addRoutes(app, { 'GET /': ({ env }) => handOver(env, (...exchange) => pageHandlers.page(...exchange)) });
    addRoutes(app, { 'GET /v1/feed': (context) => handOver(context.env, feedOf(pageHandlers, auth, context)) }, admit);
  }
  return app;
}

/** The file is missing only if a bundle runs without the package. */
const NO_DESCRIPTION =
  'description of the API beside this bundle. Copy node_modules/eventferry/dist/openapi.json.br into its folder';

const openApiText = once(() => readBuiltFile('openapi.json'));

async function answerOpenApi(context: Context<Env>): Promise<Response> {
  const text = await openApiText();
  if (text === undefined) throw refusals.unknown(NO_DESCRIPTION);
  return encodedAnswer(context, text, 'application/json');
}

/** A feed can stay open for hours, so it ends together with the session that opened it. */
function feedOf(pageHandlers: PageHandlers, auth: AdminAuth, context: Context): PageHandlers['feed'] {
  return (incoming, outgoing) => {
    const stopWatching = auth.watch(context, () => outgoing.end());
    outgoing.once('close', stopWatching);
    pageHandlers.feed(incoming, outgoing);
  };
}
