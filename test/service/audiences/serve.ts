import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { onTestFinished } from 'vitest';
import { audienceRoutes } from '../../../src/service/audiences/routes.js';
import { type Setting, setUp } from './support.js';

/** A server on a free port, for as long as the test runs. */
export async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Audiences behind a real server, mounted as the service mounts them, for who has the token if there is one. */
export async function serveAudiences(
  options: Parameters<typeof setUp>[0] = {},
  token?: string,
): Promise<Setting & { url: string }> {
  const setting = setUp(options);
  const app = new Hono({ strict: false });
  app.use(async ({ req, json }, next) => {
    if (token === undefined || req.header('authorization') === `Bearer ${token}`) return next();
    return json({ code: 'unauthorized', message: 'The admin token is missing or wrong' }, 401);
  });
  app.route('/v1/audiences', audienceRoutes(setting.audiences));
  return { ...setting, url: await listen(getRequestListener(app.fetch, { overrideGlobalObjects: false })) };
}
