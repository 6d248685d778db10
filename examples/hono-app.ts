/** A collector in a Hono app, below `/events`, by web-standard requests. */
import { once } from 'node:events';
import { serve } from '@hono/node-server';
import { Analytics } from 'eventferry';
import { Collector } from 'eventferry/collector';
import { Hono } from 'hono';

const collector = new Collector({
  sources: [{ name: 'app', writeKey: 'dev' }],
  onMessages: (messages, source) => {
    for (const { type, userId } of messages) console.log(`${source.name}: ${type} of ${userId}`);
  },
});

const app = new Hono();
app.get('/', (context) => context.text('my app'));
app.all('/events/*', (context) => collector.fetch(context.req.raw));

// On Bun: `export default app`. On Deno: `Deno.serve(app.fetch)`.
const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 });
if (!server.listening) await once(server, 'listening');
const address = server.address();
const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;

console.log(await (await fetch(url)).text());
const analytics = new Analytics({ writeKey: 'dev', endpoint: `${url}/events` });
analytics.track({ userId: 'u1', event: 'Order Completed' });
await analytics.close();
console.log(`${analytics.stats().delivered} delivered`);

server.close();
await collector.close();
