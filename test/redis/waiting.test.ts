import { afterAll, beforeAll } from 'vitest';
import { describeWaiting } from '../destination/waiting-conformance.js';
import { RedisServer } from './redis-server.js';
import { redisUnderTest } from './storage.js';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

describeWaiting(redisUnderTest(() => server));
