import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Storage } from '../../src/store/storage.js';
import { describeKeyValueStore } from '../store/key-value-store-conformance.js';
import { describeMessageIdStore } from '../store/message-id-store-conformance.js';
import type { StorageUnderTest } from '../store/storage-under-test.js';
import { RedisServer } from './redis-server.js';
import { openStorage } from './storage.js';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.remove());

let prefix: string;

/** Redis goes by its own clock, which cannot be moved; what is to end earlier comes to the same. */
const SHORTEN = `
for _, key in ipairs(redis.call('KEYS', '{' .. ARGV[1] .. '}*')) do
  local left = redis.call('PTTL', key)
  if left >= 0 then redis.call('PEXPIRE', key, left - ARGV[2]) end
end
`;

const storage: StorageUnderTest = {
  name: 'redis',
  lasts: true,
  isShared: true,
  setUp: async () => {
    prefix = randomUUID();
    const own = prefix;
    return () => openStorage(server, own);
  },
  pass: async (ms) => {
    await server.look((redis) => redis.eval(SHORTEN, 0, prefix, ms));
  },
};

describeMessageIdStore(storage);
describeKeyValueStore(storage);

describe('what a process claims', () => {
  const PRESENCE_MS = 3_000;
  const claim = ({ messageIds }: Storage) => messageIds.claim('web', ['a'], Date.now());

  test("is nobody's three seconds after the process is gone", async () => {
    const open = await storage.setUp();
    const [gone, other] = [await open(), await open()];
    expect(await claim(gone)).toEqual(['new']);
    // As if it were killed: it lets go of nothing.
    await gone.close();
    expect(await claim(other)).toEqual(['claimed']);
    await storage.pass?.(PRESENCE_MS);
    expect(await claim(other)).toEqual(['new']);
  });

  test('stays its own for as long as it lives', async () => {
    const open = await storage.setUp();
    const [living, other] = [await open(), await open()];
    await claim(living);
    await storage.pass?.(PRESENCE_MS - 100);
    await expect.poll(() => server.look(presenceMs)).toBeGreaterThan(2_500);
    await storage.pass?.(500);
    expect(await claim(other)).toEqual(['claimed']);
  });
});

/** For how long the process that claims something seems to be there still; the others say that they are there as well. */
async function presenceMs(redis: Redis): Promise<number> {
  const keys = await redis.keys(`{${prefix}}:seen:*`);
  const [claim = ''] = keys.filter((key) => !key.includes(':present:'));
  return redis.pttl(`{${prefix}}:seen:present:${await redis.get(claim)}`);
}
