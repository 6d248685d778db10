import { PostHog } from 'posthog-node';
import { eventOf } from '../event.js';

const client = new PostHog('bench', { host: process.env.BENCH_URL });
const { userId, event, properties } = eventOf(1);
client.capture({ distinctId: userId, event, properties });
await client.shutdown();
