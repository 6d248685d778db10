import { onTestFinished } from 'vitest';
import { RedisServer } from '../redis/redis-server.js';

/** A store in a real Redis, as it stands in a configuration. */
export async function redis(): Promise<{ store: object }> {
  const server = await RedisServer.start();
  onTestFinished(() => server.remove());
  return { store: { type: 'redis', url: server.url } };
}
