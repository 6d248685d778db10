import './before-hono.js';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { OTHER_PATHS } from '../protocol/collector-paths.js';
import { MESSAGE_TYPES } from '../protocol/field-table.js';
import type { Handler } from './collector-server.js';
import type { RequestHandler } from './handle-request.js';
import { httpErrors } from './http-error.js';
import { refuse, send } from './responses.js';

type Exchange = (incoming: IncomingMessage, outgoing: ServerResponse) => void | Promise<void>;

const byName = { ...Object.fromEntries(MESSAGE_TYPES.map((type) => [type, type])), ...OTHER_PATHS };

/** What each path takes: a batch, or messages of one type. */
export const COLLECTOR_PATHS = new Map(Object.entries(byName).map(([name, takes]) => [`/v1/${name}`, takes]));

/** Returns true if the path of a target, such as `/v1/batch?x=1`, takes messages. */
export function isCollecting(target: string): boolean {
  const [path = ''] = target.split('?', 1);
  return COLLECTOR_PATHS.has(path.endsWith('/') ? path.slice(0, -1) : path);
}

/**
 * Hono finds the route; requests and responses stay Node's own objects. `autoCleanupIncoming` and `overrideGlobalObjects` are off
 * because a library must not replace the host's globals, and because the code that answers decides what to do with an unread
 * body.
 */
export function createHandler(requests: RequestHandler, { withMetrics }: { withMetrics: boolean }): Handler {
  const app = new Hono<{ Bindings: HttpBindings }>({ strict: false });
  for (const [path, takes] of COLLECTOR_PATHS) {
    const type = takes === 'batch' ? undefined : takes;
    const collect = only('POST', (incoming, outgoing) => requests.collect(incoming, outgoing, type));
    app.all(path, collect);
  }
  app.all(
    '/healthz',
    only('GET', (incoming, outgoing) => requests.health(incoming, outgoing)),
  );
  if (withMetrics) {
    app.all(
      '/metrics',
      only('GET', (incoming, outgoing) => requests.showMetrics(incoming, outgoing)),
    );
  }
  app.notFound(
    exchange((incoming, outgoing) => {
      if (incoming.method === 'OPTIONS') allow(incoming, outgoing, 'GET, POST');
      else refuse(incoming, outgoing, httpErrors.notFound());
    }),
  );
  return listener(app, requests);
}

function listener(app: Hono<{ Bindings: HttpBindings }>, { underWay }: RequestHandler): Handler {
  const listen = getRequestListener(
    // Only HTTP/1 servers call this handler, so the bindings are those of HTTP/1.
    (request, bindings) => app.fetch(request, bindings as HttpBindings),
    {
      hostname: 'localhost',
      autoCleanupIncoming: false,
      overrideGlobalObjects: false,
      errorHandler: () => RESPONSE_ALREADY_SENT,
    },
  );
  return (incoming, outgoing) => {
    underWay.enter(outgoing);
    void listen(incoming, outgoing).then(() => {
      // Hono does not see a request whose target is not a valid URL, so that request is still unanswered.
      if (!outgoing.headersSent) refuse(incoming, outgoing, httpErrors.invalidRequest());
    });
  };
}

const exchange =
  (act: Exchange) =>
  async ({ env: { incoming, outgoing } }: Context<{ Bindings: HttpBindings }>): Promise<Response> => {
    try {
      await act(incoming, outgoing);
    } catch (error) {
      refuse(incoming, outgoing, httpErrors.internalError(error));
    }
    return RESPONSE_ALREADY_SENT;
  };

function only(method: 'GET' | 'POST', act: Exchange) {
  const allowed = method === 'GET' ? 'GET, HEAD, OPTIONS' : 'POST, OPTIONS';
  return exchange((incoming, outgoing) => {
    if (incoming.method === method || (method === 'GET' && incoming.method === 'HEAD')) return act(incoming, outgoing);
    if (incoming.method === 'OPTIONS') return allow(incoming, outgoing, allowed);
    return refuse(incoming, outgoing, httpErrors.methodNotAllowed(allowed));
  });
}

/** Answers a browser's preflight request: any page may send, with any headers. */
function allow(incoming: IncomingMessage, outgoing: ServerResponse, methods: string): void {
  send(incoming, outgoing, 204, '', {
    Allow: methods,
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': methods,
    // `*` would not cover Authorization.
    'Access-Control-Allow-Headers': incoming.headers['access-control-request-headers'] ?? '*',
    'Access-Control-Max-Age': '86400',
    Vary: 'Access-Control-Request-Headers',
  });
}

/** The `http://host` of an absolute target, which proxies send and every server must accept (RFC 9112, 3.2.2). */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

/**
 * Returns the requested path, which begins with one slash. Drops the origin of an absolute target, and the second slash that
 * comes from an endpoint with a slash at its end.
 */
export function targetOf(url: string): string {
  if (url.charCodeAt(0) === SLASH && url.charCodeAt(1) !== SLASH) return url;
  const path = url.replace(ORIGIN, '');
  // The target `*` of OPTIONS means the server as a whole.
  return path.startsWith('*') ? path : `/${path.replace(/^\/+/, '')}`;
}

const SLASH = 47;

/** Matches the beginning of one of our paths. */
const OURS = /\/(?:v1\/|(?:healthz|readyz|metrics)\/?$)/;

/** Removes the path at which an app has mounted the collector: `/events/v1/batch` becomes `/v1/batch`. */
export function withoutMount(target: string): string {
  if (target.startsWith('/v1/')) return target;
  const [path = ''] = target.split('?', 1);
  const at = OURS.exec(path)?.index ?? 0;
  return target.slice(at);
}

/** Makes a handler for apps that may leave the mount path in the target: Express removes it, Fastify does not. */
export const mounted =
  (handler: Handler): Handler =>
  (incoming, outgoing) => {
    incoming.url = withoutMount(straighten(incoming));
    handler(incoming, outgoing);
  };

/** Makes a handler for the collector's own server. */
export const straightened =
  (handler: Handler): Handler =>
  (incoming, outgoing) => {
    straighten(incoming);
    handler(incoming, outgoing);
  };

/** Rewrites the request's target in its usual form, so that routers can read it, and returns it. */
export function straighten(incoming: IncomingMessage): string {
  const url = targetOf(incoming.url ?? '');
  if (url !== incoming.url) incoming.url = url;
  return url;
}
