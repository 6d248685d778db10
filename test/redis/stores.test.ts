import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { describeStore } from '../store/event-store-conformance.js';
import { RedisServer } from './redis-server.js';
import { openStorage } from './storage.js';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

describeStore({
  name: 'redis',
  lasts: true,
  setUp: async () => {
    const prefix = randomUUID();
    return async () => (await openStorage(server, prefix)).deliveries('orders');
  },
});
