import { buildSelfDescribingEvent, newTracker } from '@snowplow/node-tracker';
import { eventOf } from '../event.js';

const { hostname: endpoint, port } = new URL(process.env.BENCH_URL);
const tracker = newTracker(
  { namespace: 'bench', appId: 'bench' },
  { endpoint, port: Number(port), protocol: 'http', eventMethod: 'post' },
);
const schema = 'iglu:com.example/order_completed/jsonschema/1-0-0';
tracker.track(buildSelfDescribingEvent({ event: { schema, data: eventOf(1).properties } }));
await tracker.flush();
