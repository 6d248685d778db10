import { afterAll, beforeAll } from 'vitest';
import { describeErasedUsers } from '../service/deletions/erased-user-conformance.js';
import { describeLimitedDeletions } from '../service/deletions/limited-conformance.js';
import { RedisServer } from './redis-server.js';
import { redisUnderTest } from './storage.js';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

describeLimitedDeletions(redisUnderTest(() => server));

describeErasedUsers(redisUnderTest(() => server));
