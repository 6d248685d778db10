import { onTestFinished } from 'vitest';
import { RedisServer } from '../redis/redis-server.js';

/** Starts a real Redis, and returns the configuration of a store in it. */
export async function redis(): Promise<{ store: object }> {
  const server = await RedisServer.start();
  onTestFinished(() => server.remove());
  return { store: { type: 'redis', url: server.url } };
}
