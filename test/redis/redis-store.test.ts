import { afterAll, beforeAll } from 'vitest';
import { describeEventStore } from '../store/event-store-conformance.js';
import { deliveriesIn } from '../store/storage-under-test.js';
import { RedisServer } from './redis-server.js';
import { redisUnderTest } from './storage.js';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

describeEventStore(deliveriesIn(redisUnderTest(() => server)));
