import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { secureHeaders } from 'hono/secure-headers';
import type { Handler } from '../../collector/collector-server.js';
import { encodedAnswer } from './encoded.js';
import type { Api, ErrorAnswer, Route } from './openapi-types.js';
import type { QueryOf } from './queries.js';
import { ApiRefusal, refusals } from './refusals.js';
import { checkTarget, readQuery } from './request-target.js';

/** Node's own request objects, for the few routes that need them. */
export type Env = { Bindings: HttpBindings; Variables: { caller?: string; isDryRun?: boolean; before?: boolean } };

/** The context of any request. It holds the name of the token once the request has been admitted. */
export type AdminContext = Context<Env>;

/** The name of the token that the request was made with. */
export const callerOf = (context: Pick<AdminContext, 'get'>): string => context.get('caller') ?? 'admin';

type PathOf<R extends Route> = R extends `${string} ${infer Path}` ? Path : never;

/** An answer is sent as JSON with status 200 or the status that is set in the context; `undefined` is sent as 204. */
type RouteAnswer<R extends Route> = Api[R]['answer'] | Response;

/** The handlers of all routes whose path begins with `Prefix`. */
export type Routes<Prefix extends string = ''> = {
  readonly [R in Route as PathOf<R> extends `${Prefix}${string}` ? R : never]: (
    context: Context<Env, PathOf<R>>,
    query: QueryOf<R>,
  ) => RouteAnswer<R> | Promise<RouteAnswer<R>>;
};

type AnyAnswer = (context: Context<Env>, query: QueryOf<Route>) => RouteAnswer<Route> | Promise<RouteAnswer<Route>>;

/** Browsers may neither frame an answer nor guess its type. HSTS is left to the proxy, which knows whether all is HTTPS. */
const SECURITY = secureHeaders({
  contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  strictTransportSecurity: false,
});

/** Creates an app without routes. Every route answers refusals, unknown paths and thrown errors in the same way. */
export function createRouter(onError: (error: unknown) => void): Hono<Env> {
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
  return app;
}

/** Adds routes to the app. `admit` throws if a request is not allowed. */
export function addRoutes(
  app: Hono<Env>,
  routes: Partial<Routes>,
  admit: (context: Context<Env>) => Promise<void> = async () => {},
  done: (context: Context<Env>, answer: unknown, status: number) => void = () => {},
): void {
  for (const [route, answer] of Object.entries(routes) as [Route, unknown][]) {
    const [method, path] = route.split(' ') as [string, string];
    app.on(method, path, async (context) => {
      await admit(context);
      const query = readQuery(route, new URL(context.req.url).search);
      // `context` and `query` were made for this route, but the compiler cannot relate them to its handler.
      const given = await (answer as AnyAnswer)(context, query);
      const response = await respond(context, given);
      done(context, given, response.status);
      return response;
    });
  }
}

function respond(context: Context, answer: RouteAnswer<Route>): Response | Promise<Response> {
  if (answer instanceof Response) return answer;
  if (answer === undefined) return context.body(null, 204);
  if (context.req.method !== 'GET') return context.json(answer);
  if (typeof answer !== 'string') return encodedAnswer(context, JSON.stringify(answer), 'application/json');
  return encodedAnswer(context, answer, context.res.headers.get('content-type') ?? 'text/plain');
}

/** Any error that is not a programming mistake comes from the store, so a later attempt may succeed. */
const isMistake = (error: unknown): boolean =>
  error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;

const refuseMethod = (context: Context, methods: readonly string[]): Response =>
  answerRefusal(context, refusals.methodNotAllowed(methods.join(', ')));

function answerRefusal(context: Context, { status, code, message, headers, line }: ApiRefusal): Response {
  return context.json({ code, message, ...(line !== undefined && { line }) } satisfies ErrorAnswer, status, headers);
}

/** Leaves the response to a handler of node:http. */
export function handOver({ incoming, outgoing }: HttpBindings, answer: Handler): Response {
  answer(incoming, outgoing);
  return RESPONSE_ALREADY_SENT;
}

/** Turns the app into a listener for node:http. */
export function handlerOf(app: Hono<Env>): Handler {
  const listen = getRequestListener(
    // Only HTTP/1 servers use this handler, so the bindings are theirs.
    (request, bindings) => app.fetch(request, bindings as HttpBindings),
    { hostname: 'localhost', overrideGlobalObjects: false },
  );
  return (incoming, outgoing) => void listen(incoming, outgoing);
}
