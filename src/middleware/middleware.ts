import type { AsyncResource } from 'node:async_hooks';
import { isPublic } from './cookie.js';
import { type NodeRequest, viewOfNode } from './node.js';
import { type NodeResponse, setCookie } from './node-response.js';
import { type RequestFields, type RequestView, type Visit, visitOf } from './request-fields.js';
import { checkRequestOptions, type RequestOptions } from './request-options.js';
import { checkMiddleware, isRunner, type RequestClient, type Runner } from './runner.js';

/**
 * Middleware for Express 4 and 5, and for Connect. Everything that handles the request after it runs inside a run of
 * the client.
 *
 * @throws OptionError
 * @example
 * app.use(expressMiddleware(analytics, { ip: true, userAgent: true, anonymousId: { cookie: 'aid' } }));
 */
export function expressMiddleware<Request extends NodeRequest = NodeRequest>(
  analytics: Runner,
  given: RequestOptions<Request> = {},
): (request: Request, response: unknown, next: () => void) => void {
  const options = checkMiddleware<Request>('expressMiddleware', analytics, given);
  return (request, response, next) =>
    analytics.run(greet(visitOf(request, viewOfNode(request), options), response), () => next());
}

/** Returns the fields for the run, and sets the cookie of a new visitor if the options ask for one. */
function greet({ fields, cookie }: Visit, response: unknown): RequestFields {
  // Frameworks pass the response of `node:http`.
  if (cookie !== undefined) setCookie(response as NodeResponse, cookie);
  return fields;
}

/** Captures the current run, so that an event outside of any run can continue in it. The class is loaded only on Node. */
const newScope = (): AsyncResource =>
  new (process.getBuiltinModule('node:async_hooks').AsyncResource)('eventferry.run');

/** The part of a Koa context that the middleware uses. */
export interface KoaContext {
  readonly req: NodeRequest;
  readonly res: { end: unknown };
  /** The client's address by the app's `proxy` setting. */
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
  given: RequestOptions<Context> = {},
): (context: Context, next: () => Promise<unknown>) => Promise<unknown> {
  const options = checkMiddleware<Context>('koaMiddleware', analytics, given);
  return (context, next) =>
    analytics.run(greet(visitOf(context, viewOfNode(context.req), options), context.res), () => {
      endInRun(context.res);
      return next();
    });
}

/**
 * Ends the response inside the run. Koa ends it after all middleware has returned, outside of the run, and `finish` is emitted in
 * the context in which the response ends.
 */
function endInRun(response: { end: unknown }): void {
  const { end } = response;
  if (typeof end !== 'function') return;
  const scope = newScope();
  response.end = (...args: unknown[]): unknown => scope.runInAsyncScope(() => Reflect.apply(end, response, args));
}

/** The part of a Fastify request that the plugin reads. */
export interface FastifyRequest {
  readonly raw: NodeRequest;
  /** The client's address by the app's `trustProxy` setting. */
  readonly ip: string;
}

type FastifyHook = (request: FastifyRequest, reply: { readonly raw: unknown }, done: () => void) => void;

/** The part of a Fastify instance that the plugin uses. */
export interface FastifyInstance {
  addHook(name: 'onRequest', hook: FastifyHook): unknown;
  addHook(name: 'preValidation', hook: FastifyHook): unknown;
}

/**
 * A plugin for Fastify. It applies to the instance that registers it and to every plugin registered after it.
 *
 * @throws OptionError
 * @example
 * app.register(fastifyPlugin(analytics, { userAgent: true }));
 */
export function fastifyPlugin(
  analytics: Runner,
  given: RequestOptions<FastifyRequest> = {},
): (instance: FastifyInstance, pluginOptions: unknown, done: () => void) => void {
  const options = checkMiddleware<FastifyRequest>('fastifyPlugin', analytics, given);
  const runs = new WeakMap<FastifyRequest, AsyncResource>();
  const plugin = (instance: FastifyInstance, _pluginOptions: unknown, done: () => void): void => {
    instance.addHook('onRequest', (request, reply, next) =>
      analytics.run(greet(visitOf(request, viewOfNode(request.raw), options), reply.raw), () => {
        runs.set(request, newScope());
        next();
      }),
    );
    // The body arrives in events of the connection, which belong to no run.
    instance.addHook('preValidation', (request, _reply, next) => {
      const run = runs.get(request);
      if (run === undefined) next();
      else run.runInAsyncScope(next);
    });
    done();
  };
  // Without this symbol, Fastify limits the hooks to the plugin itself.
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true });
}

/** The part of a Hono context that the middleware uses. */
export interface HonoContext {
  readonly req: { readonly raw: Request };
  readonly res: { readonly headers: Headers };
  header(name: string, value: string, options: { append: boolean }): void;
  /** `@hono/node-server` keeps Node's request here. */
  readonly env?: unknown;
  /** The platform's context. Hono throws if there is none. */
  readonly executionCtx?: { waitUntil(promise: Promise<unknown>): void } | undefined;
}

/**
 * Middleware for Hono. On Node, with `@hono/node-server`, it knows the client's address. Elsewhere it needs a trusted
 * proxy or a function `ip`. If the platform has `waitUntil`, the messages of a request are sent after its response.
 *
 * @param analytics the program's client. If requests cannot share one, as on Workers, give a function that creates a
 *   client for a request; it is closed after the response
 * @throws OptionError
 * @example
 * app.use(honoMiddleware(analytics, { userAgent: true }));
 */
export function honoMiddleware<Context extends HonoContext = HonoContext>(
  analytics: Runner | ((context: Context) => RequestClient),
  given: RequestOptions<Context> = {},
): (context: Context, next: () => Promise<void>) => Promise<void> {
  const isMaker = typeof analytics === 'function' && !isRunner(analytics);
  const options = isMaker
    ? checkRequestOptions<Context>(given)
    : checkMiddleware<Context>('honoMiddleware', analytics, given);
  return async (context, next) => {
    const incoming = (context.env as { readonly incoming?: NodeRequest } | undefined)?.incoming;
    const view = { ...viewOfWeb(context.req.raw), remoteAddress: incoming && viewOfNode(incoming).remoteAddress };
    const { fields, cookie } = visitOf(context, view, options);
    const waitUntil = fields.waitUntil ?? waitUntilOf(context);
    const own = isRunner(analytics) ? undefined : analytics(context);
    try {
      await (own ?? (analytics as Runner)).run({ ...fields, waitUntil: own ? undefined : waitUntil }, next);
    } finally {
      // The client itself reports its losses.
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
 * Wraps a handler of web requests, such as a route handler of Next, so that each call is a run of the client. The
 * client's address is only known behind a trusted proxy or with a function `ip`.
 *
 * @throws OptionError
 * @example
 * export const POST = withRun(analytics, async (request) => new Response('ok'), { userAgent: true });
 */
export function withRun<R extends Request, Rest extends unknown[], Answer>(
  analytics: Runner,
  handler: (request: R, ...rest: Rest) => Answer,
  given: RequestOptions<R> = {},
): (request: R, ...rest: Rest) => Answer {
  const options = checkMiddleware<R>('withRun', analytics, given);
  return (request, ...rest) => {
    const { fields, cookie } = visitOf(request, viewOfWeb(request), options);
    const answer = analytics.run(fields, () => handler(request, ...rest));
    if (cookie === undefined) return answer;
    const finish = (response: unknown): unknown => withCookie(response, cookie);
    // The result has the type of the handler's answer: a response or a promise of one.
    return (answer instanceof Promise ? answer.then(finish) : finish(answer)) as Answer;
  };
}

/** Adds the cookie to a copy, because the headers of a fetched or redirecting response cannot be changed. */
function withCookie(response: unknown, cookie: string): unknown {
  // A status below 200 cannot be copied: it is a network error or a switch to another protocol.
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
