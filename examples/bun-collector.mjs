/** A collector on Bun, by web-standard requests: `bun bun-collector.mjs`. */
import { Analytics } from 'eventferry';
import { Collector } from 'eventferry/collector';

const collector = new Collector({
  sources: [{ name: 'app', writeKey: 'dev' }],
  onMessages: (messages, source) => {
    for (const { type, userId } of messages) console.log(`${source.name}: ${type} of ${userId}`);
  },
});

const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: collector.fetch });

const analytics = new Analytics({ writeKey: 'dev', endpoint: `http://127.0.0.1:${server.port}` });
analytics.track({ userId: 'u1', event: 'Order Completed' });
await analytics.close();
console.log(`${analytics.stats().delivered} delivered`);

await collector.close();
await server.stop();
