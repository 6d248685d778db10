import { afterAll, beforeAll } from 'vitest';
import { describeLine } from '../store/line-conformance.js';
import { RedisServer } from './redis-server.js';
import { redisUnderTest } from './storage.js';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

describeLine(redisUnderTest(() => server));
