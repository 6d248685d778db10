import { Analytics } from '../../dist/index.js';
import { eventOf } from '../event.js';

const analytics = new Analytics({ writeKey: 'bench', endpoint: process.env.BENCH_URL });
analytics.track(eventOf(1));
await analytics.close();
