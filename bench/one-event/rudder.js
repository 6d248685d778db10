import Analytics from '@rudderstack/rudder-sdk-node';
import { eventOf } from '../event.js';

const analytics = new Analytics('bench', { dataPlaneUrl: process.env.BENCH_URL, logLevel: 'none' });
analytics.track(eventOf(1));
await analytics.flush();
// Its idle connections and timers would keep the process alive.
process.exit();
