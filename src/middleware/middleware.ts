import type { AsyncResource } from 'node:async_hooks';
import { isPublic } from './cookie.js';
import { type NodeRequest, viewOfNode } from './node.js';
import { type NodeResponse, setCookie } from './node-response.js';
import { checkRequestOptions, type RequestOptions } from './options.js';
import { type RequestFields, type RequestView, type Visit, visitOf } from './request-fields.js';
import { checkMiddleware, isRunner, type RequestClient, type Runner } from './runner.js';

/**
 * Middleware for Express 4 and 5, and for Connect: everything that handles the request after it is in a run of the client.
 *
 * @throws OptionError
 * @example
 * app.use(expressMiddleware(analytics, { ip: true, userAgent: true, anonymousId: { cookie: 'aid' } }));
 */
export function expressMiddleware<Request extends NodeRequest = NodeRequest>(
  analytics: Runner,
  options: RequestOptions<Request> = {},
): (request: Request, response: unknown, next: () => void) => void {
  checkMiddleware('expressMiddleware', analytics, options);
  return (request, response, next) =>
    analytics.run(greet(visitOf(request, viewOfNode(request), options), response), () => next());
}

/** The fields of the run of a visit. A new visitor is given the cookie, where one is asked for. */
function greet({ fields, cookie }: Visit, response: unknown): RequestFields {
  // Frameworks hand over the response of `node:http`.
  if (cookie !== undefined) setCookie(response as NodeResponse, cookie);
  return fields;
}

/** The run in which it is made, to go on with in an event that belongs to none. Loaded where there is Node alone. */
const newScope = (): AsyncResource =>
  new (process.getBuiltinModule('node:async_hooks').AsyncResource)('eventferry.run');

/** As much of a context of Koa as is used. */
export interface KoaContext {
  readonly req: NodeRequest;
  readonly res: { end: unknown };
  /** As Koa has it, by the app's `proxy`. */
  readonly ip: string;
}

/**
 * Middleware for Koa.
 *
 * @throws OptionError
 * @example
 * app.use(koaMiddleware(analytics, { userAgent: true }));
 */
export function koaMiddleware<Context extends KoaContext = KoaContext>(
  analytics: Runner,
  options: RequestOptions<Context> = {},
): (context: Context, next: () => Promise<unknown>) => Promise<unknown> {
  checkMiddleware('koaMiddleware', analytics, options);
  return (context, next) =>
    analytics.run(greet(visitOf(context, viewOfNode(context.req), options), context.res), () => {
      endInRun(context.res);
      return next();
    });
}

/** Koa ends the response when all middleware has returned, outside of the run, and `finish` is emitted where that happens. */
function endInRun(response: { end: unknown }): void {
  const { end } = response;
  if (typeof end !== 'function') return;
  const scope = newScope();
  response.end = (...args: unknown[]): unknown => scope.runInAsyncScope(() => Reflect.apply(end, response, args));
}

/** As much of a request of Fastify as is read. */
export interface FastifyRequest {
  readonly raw: NodeRequest;
  /** As Fastify has it, by the app's `trustProxy`. */
  readonly ip: string;
}

type FastifyHook = (request: FastifyRequest, reply: { readonly raw: unknown }, done: () => void) => void;

/** As much of a Fastify instance as is used. */
export interface FastifyInstance {
  addHook(name: 'onRequest', hook: FastifyHook): unknown;
  addHook(name: 'preValidation', hook: FastifyHook): unknown;
}

/**
 * A plugin for Fastify. It is for the instance that registers it, and for every plugin that is registered after it.
 *
 * @throws OptionError
 * @example
 * app.register(fastifyPlugin(analytics, { userAgent: true }));
 */
export function fastifyPlugin(
  analytics: Runner,
  options: RequestOptions<FastifyRequest> = {},
): (instance: FastifyInstance, pluginOptions: unknown, done: () => void) => void {
  checkMiddleware('fastifyPlugin', analytics, options);
  const runs = new WeakMap<FastifyRequest, AsyncResource>();
  const plugin = (instance: FastifyInstance, _pluginOptions: unknown, done: () => void): void => {
    instance.addHook('onRequest', (request, reply, next) =>
      analytics.run(greet(visitOf(request, viewOfNode(request.raw), options), reply.raw), () => {
        runs.set(request, newScope());
        next();
      }),
    );
    // The body comes in events of the connection, which belong to no run.
    instance.addHook('preValidation', (request, _reply, next) => {
      const run = runs.get(request);
      if (run === undefined) next();
      else run.runInAsyncScope(next);
    });
    done();
  };
  // Fastify keeps the hooks of a plugin without this to the plugin itself.
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true });
}

/** As much of a context of Hono as is used. */
export interface HonoContext {
  readonly req: { readonly raw: Request };
  readonly res: { readonly headers: Headers };
  header(name: string, value: string, options: { append: boolean }): void;
  /** Where `@hono/node-server` keeps Node's own request. */
  readonly env?: unknown;
  /** Of the platform. Hono throws where there is none. */
  readonly executionCtx?: { waitUntil(promise: Promise<unknown>): void } | undefined;
}

/**
 * Middleware for Hono. On Node, with `@hono/node-server`, it knows the address of the client; elsewhere that is known behind a
 * trusted proxy alone, or by a function `ip`. Where the platform has a `waitUntil`, what a request tracks is sent after its answer.
 *
 * @param analytics the client of the program; or, where requests cannot share one, as on Workers, a function that makes the client of a
 *   request. That one is closed when the request has been answered
 * @throws OptionError
 * @example
 * app.use(honoMiddleware(analytics, { userAgent: true }));
 */
export function honoMiddleware<Context extends HonoContext = HonoContext>(
  analytics: Runner | ((context: Context) => RequestClient),
  options: RequestOptions<Context> = {},
): (context: Context, next: () => Promise<void>) => Promise<void> {
  if (typeof analytics !== 'function' || isRunner(analytics)) checkMiddleware('honoMiddleware', analytics, options);
  else checkRequestOptions(options);
  return async (context, next) => {
    const incoming = (context.env as { readonly incoming?: NodeRequest } | undefined)?.incoming;
    const view = { ...viewOfWeb(context.req.raw), remoteAddress: incoming && viewOfNode(incoming).remoteAddress };
    const { fields, cookie } = visitOf(context, view, options);
    const waitUntil = fields.waitUntil ?? waitUntilOf(context);
    const own = isRunner(analytics) ? undefined : analytics(context);
    try {
      await (own ?? (analytics as Runner)).run({ ...fields, waitUntil: own ? undefined : waitUntil }, next);
    } finally {
      // It tells its losses itself.
      const closing = own?.close().catch(() => {});
      if (closing !== undefined) waitUntil?.(closing);
    }
    if (cookie === undefined || isPublic(context.res.headers.get('cache-control'))) return;
    context.header('Set-Cookie', cookie, { append: true });
  };
}

function waitUntilOf(context: HonoContext): RequestFields['waitUntil'] {
  try {
    const { executionCtx } = context;
    return executionCtx && ((promise) => executionCtx.waitUntil(promise));
  } catch {
    return undefined;
  }
}

/**
 * Wraps a handler of web requests, such as a route handler of Next: each of its calls is a run of the client. The address of the
 * client is known behind a trusted proxy alone, or by a function `ip`.
 *
 * @throws OptionError
 * @example
 * export const POST = withRun(analytics, async (request) => new Response('ok'), { userAgent: true });
 */
export function withRun<R extends Request, Rest extends unknown[], Answer>(
  analytics: Runner,
  handler: (request: R, ...rest: Rest) => Answer,
  options: RequestOptions<R> = {},
): (request: R, ...rest: Rest) => Answer {
  checkMiddleware('withRun', analytics, options);
  return (request, ...rest) => {
    const { fields, cookie } = visitOf(request, viewOfWeb(request), options);
    const answer = analytics.run(fields, () => handler(request, ...rest));
    if (cookie === undefined) return answer;
    const finish = (response: unknown): unknown => withCookie(response, cookie);
    // What comes back is of the type that went in: a response, or the promise of one.
    return (answer instanceof Promise ? answer.then(finish) : finish(answer)) as Answer;
  };
}

/** A copy, as the headers of a response that was fetched or redirects cannot be changed. */
function withCookie(response: unknown, cookie: string): unknown {
  // Below 200 is no answer that could be copied: an error of the network, or another protocol from here on.
  if (!(response instanceof Response) || response.status < 200 || isPublic(response.headers.get('cache-control')))
    return response;
  const copy = new Response(response.body, response);
  copy.headers.append('Set-Cookie', cookie);
  return copy;
}

const viewOfWeb = ({ url, headers }: Request): RequestView => ({
  url,
  isEncrypted: url.startsWith('https:'),
  remoteAddress: undefined,
  header: (name) => headers.get(name) ?? undefined,
});
