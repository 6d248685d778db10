import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { onTestFinished } from 'vitest';
import { addRoutes, createRouter } from '../../../src/service/api/admin-router.js';
import { refusals } from '../../../src/service/api/refusals.js';
import { syncedRoutes } from '../../../src/service/api/synced-routes.js';
import { type Setting, setUp } from './support.js';

/** Starts a server on a free port for the duration of the test. */
export async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Serves audiences over HTTP as the service does. If there is a token, requests need it. */
export async function serveAudiences(
  options: Parameters<typeof setUp>[0] = {},
  token?: string,
): Promise<Setting & { url: string }> {
  const setting = setUp(options);
  const app = createRouter((error) => setting.errors.push(error));
  const routes = syncedRoutes(setting);
  addRoutes(app, routes, async ({ req }) => {
    if (token !== undefined && req.header('authorization') !== `Bearer ${token}`) throw refusals.unauthorized();
  });
  const listener = getRequestListener((request, env) => app.fetch(request, env as HttpBindings), {
    overrideGlobalObjects: false,
  });
  return { ...setting, url: await listen(listener) };
}
