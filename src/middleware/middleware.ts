import { AsyncResource } from 'node:async_hooks';
import { type NodeRequest, viewOfNode } from './node.js';
import { checkRequestOptions, type RequestOptions } from './options.js';
import { fieldsOf, type RequestFields, type RequestView } from './request-fields.js';

/** The client, or what has its `run`. */
export interface Runner {
  run<T>(fields: RequestFields, act: () => T): T;
}

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
  checkRequestOptions(options);
  return (request, _response, next) => analytics.run(fieldsOf(request, viewOfNode(request), options), () => next());
}

/** As much of a context of Koa as is read. */
export interface KoaContext {
  readonly req: NodeRequest;
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
  checkRequestOptions(options);
  return (context, next) => analytics.run(fieldsOf(context, viewOfNode(context.req), options), next);
}

/** As much of a request of Fastify as is read. */
export interface FastifyRequest {
  readonly raw: NodeRequest;
  /** As Fastify has it, by the app's `trustProxy`. */
  readonly ip: string;
}

type FastifyHook = (request: FastifyRequest, reply: unknown, done: () => void) => void;

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
  checkRequestOptions(options);
  const runs = new WeakMap<FastifyRequest, AsyncResource>();
  const plugin = (instance: FastifyInstance, _pluginOptions: unknown, done: () => void): void => {
    instance.addHook('onRequest', (request, _reply, next) =>
      analytics.run(fieldsOf(request, viewOfNode(request.raw), options), () => {
        runs.set(request, new AsyncResource('eventferry.run'));
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

/** As much of a context of Hono as is read. */
export interface HonoContext {
  readonly req: { readonly raw: Request };
  /** Where `@hono/node-server` keeps Node's own request. */
  readonly env?: unknown;
  /** Of the platform. Hono throws where there is none. */
  readonly executionCtx?: { waitUntil(promise: Promise<unknown>): void } | undefined;
}

/**
 * Middleware for Hono. On Node, with `@hono/node-server`, it knows the address of the client; elsewhere that is known behind a
 * trusted proxy alone, or by a function `ip`. Where the platform has a `waitUntil`, what a request tracks is sent after its answer.
 *
 * @throws OptionError
 * @example
 * app.use(honoMiddleware(analytics, { userAgent: true }));
 */
export function honoMiddleware<Context extends HonoContext = HonoContext>(
  analytics: Runner,
  options: RequestOptions<Context> = {},
): (context: Context, next: () => Promise<void>) => Promise<void> {
  checkRequestOptions(options);
  return (context, next) => {
    const incoming = (context.env as { readonly incoming?: NodeRequest } | undefined)?.incoming;
    const view = { ...viewOfWeb(context.req.raw), remoteAddress: incoming && viewOfNode(incoming).remoteAddress };
    const fields = fieldsOf(context, view, options);
    return analytics.run({ ...fields, waitUntil: fields.waitUntil ?? waitUntilOf(context) }, next);
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
  checkRequestOptions(options);
  return (request, ...rest) =>
    analytics.run(fieldsOf(request, viewOfWeb(request), options), () => handler(request, ...rest));
}

const viewOfWeb = ({ url, headers }: Request): RequestView => ({
  url,
  isEncrypted: url.startsWith('https:'),
  remoteAddress: undefined,
  header: (name) => headers.get(name) ?? undefined,
});
