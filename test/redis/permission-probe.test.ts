import { expect, test } from 'vitest';
import { openStorage, startRedis } from './storage.js';

test.each(['zadd', 'hset', 'zmscore', 'hdel'])(
  'the check of a storage whose user may not run %s fails, and succeeds again once the user may',
  async (command) => {
    const server = await startRedis();
    const storage = await openStorage(server);
    await storage.check();
    await server.look((redis) => redis.acl('SETUSER', 'default', `-${command}`));
    await expect(storage.check()).rejects.toMatchObject({
      code: 'EVENTFERRY_STORE_REDIS_FAILED',
      message: expect.stringContaining(`${command.toUpperCase()}: ERR`),
    });
    await server.look((redis) => redis.acl('SETUSER', 'default', `+${command}`));
    await storage.check();
  },
);
