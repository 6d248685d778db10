import { afterAll, beforeAll } from 'vitest';
import { describeKeyValueStore } from '../store/key-value-store-conformance.js';
import { RedisServer } from './redis-server.js';
import { redisUnderTest } from './storage.js';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

describeKeyValueStore(redisUnderTest(() => server));
