import { afterAll, beforeAll } from 'vitest';
import { describeDeliveryErasing } from '../ledger/attempts/delivery-erasure-conformance.js';
import { RedisServer } from './redis-server.js';
import { redisUnderTest } from './storage.js';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

describeDeliveryErasing(redisUnderTest(() => server));
