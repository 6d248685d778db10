import Analytics from 'analytics-node';
import { eventOf } from '../event.js';

const analytics = new Analytics('bench', { host: process.env.BENCH_URL });
// The first call is sent at once.
analytics.track(eventOf(1));
