import { afterAll, beforeAll } from 'vitest';
import { describeErasing } from '../ledger/attempts/erase-conformance.js';
import { RedisServer } from './redis-server.js';
import { redisUnderTest } from './storage.js';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

describeErasing(
  redisUnderTest(() => server),
  { isShared: true },
);
