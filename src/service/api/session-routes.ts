import { Hono } from 'hono';
import type { AdminAuth } from './admin-auth.js';
import { readFields, textOf } from './body.js';
import type { Env } from './env.js';
import { refusals } from './refusals.js';
import { cookieOf } from './session.js';

export function sessionRoutes(auth: AdminAuth): Hono<Env> {
  const routes = new Hono<Env>();
  const isHttps = (forwarded: string | undefined): boolean => forwarded === 'https';
  routes.get('/', async ({ env, json }) => json(await auth.stateOf(env.incoming.headers)));
  routes.post('/', async (context) => {
    const token = textOf(await readFields(context), 'token');
    if (token === undefined) throw refusals.invalidField('token', 'a non-empty string');
    const session = await auth.open(token);
    context.header('Set-Cookie', cookieOf(session, isHttps(context.req.header('x-forwarded-proto'))));
    return context.body(null, 204);
  });
  routes.delete('/', async (context) => {
    await auth.leave(context.env.incoming.headers);
    context.header('Set-Cookie', cookieOf('', isHttps(context.req.header('x-forwarded-proto'))));
    return context.body(null, 204);
  });
  return routes;
}
