import { Analytics } from '@segment/analytics-node';
import { eventOf } from '../event.js';

const analytics = new Analytics({ writeKey: 'bench', host: process.env.BENCH_URL });
analytics.track(eventOf(1));
await analytics.closeAndFlush();
