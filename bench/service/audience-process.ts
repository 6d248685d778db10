/** The audiences of a service, in a process of their own: on lmdb, with messages that go nowhere. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { addRoutes, createRouter } from '../../src/service/api/admin-router.js';
import { syncedRoutes } from '../../src/service/api/synced-routes.js';
import { Audiences } from '../../src/service/audiences/audiences.js';
import { lmdbStorage } from '../../src/store/lmdb/lmdb-storage.js';

const [path = ''] = process.argv.slice(2);
const storage = await lmdbStorage({ path });
let messages = 0;
const audiences = new Audiences({
  keyValues: storage.keyValues,
  accept: async (accepted) => {
    messages += accepted.length;
  },
  onError: console.error,
});

// lmdb maps its file into memory, and counts with the whole; what is our own is apart from that.
let mostOwnBytes = 0;
setInterval(() => {
  const { heapUsed, external } = process.memoryUsage();
  mostOwnBytes = Math.max(mostOwnBytes, heapUsed + external);
}, 20).unref();

const app = createRouter(console.error);
addRoutes(app, syncedRoutes({ audiences }));
app.get('/usage', ({ json }) => {
  const { user, system } = process.cpuUsage();
  const usage = { mostOwnBytes, rssBytes: process.memoryUsage.rss(), cpuMs: (user + system) / 1_000, messages };
  mostOwnBytes = 0;
  return json(usage);
});
const server = createServer(
  { requestTimeout: 0 },
  getRequestListener((request, env) => app.fetch(request, env as HttpBindings), { overrideGlobalObjects: false }),
);
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
