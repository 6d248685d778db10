import Mixpanel from 'mixpanel';
import { eventOf } from '../event.js';

const { hostname: host, port } = new URL(process.env.BENCH_URL);
const client = Mixpanel.init('bench', { host, port: Number(port), protocol: 'http', keepAlive: false });
const { userId, event, properties } = eventOf(1);
client.track(event, { ...properties, distinct_id: userId, $insert_id: '1' });
