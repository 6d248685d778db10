import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { describeStorage } from '../store/storage-conformance.js';
import { RedisServer } from './redis-server.js';
import { openStorage } from './storage.js';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

let prefix: string;

describeStorage({
  name: 'redis',
  lasts: true,
  isShared: true,
  setUp: async () => {
    prefix = randomUUID();
    const own = prefix;
    return () => openStorage(server, own);
  },
  pass: (ms) => server.pass(prefix, ms),
});
