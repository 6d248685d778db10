import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import type { Api, Route } from './types.js';

/** What a route has beside the request: node's own objects. */
export type Env = { Bindings: HttpBindings };

type PathOf<R extends Route> = R extends `${string} ${infer Path}` ? Path : never;

/** The answer is sent as JSON with the status 200, or the one that the context was given; `undefined` is 204. */
type Answer<R extends Route> = Api[R]['answer'] | Response;

/** What answers each route whose path begins so. */
export type Routes<Prefix extends string = ''> = {
  readonly [R in Route as PathOf<R> extends `${Prefix}${string}` ? R : never]: (
    context: Context<Env, PathOf<R>>,
  ) => Answer<R> | Promise<Answer<R>>;
};

type AnyAnswer = (context: Context<Env>) => Answer<Route> | Promise<Answer<Route>>;

/** Adds routes to the app. `admit` throws where a request may not go on. */
export function addRoutes(
  app: Hono<Env>,
  routes: Partial<Routes>,
  admit: (context: Context<Env>) => Promise<void> = async () => {},
): void {
  for (const [route, answer] of Object.entries(routes)) {
    const [method, path] = route.split(' ') as [string, string];
    app.on(method, path, async (context) => {
      await admit(context);
      // The context is that of this path.
      return respond(context, await (answer as AnyAnswer)(context));
    });
  }
}

function respond(context: Context, answer: Answer<Route>): Response {
  if (answer instanceof Response) return answer;
  if (answer === undefined) return context.body(null, 204);
  return typeof answer === 'string' ? context.body(answer) : context.json(answer);
}
