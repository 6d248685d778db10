import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RedisStorage } from '../../src/store/redis/redis-storage.js';
import { RedisServer } from './redis-server.js';
import { openStorage } from './storage.js';

let server: RedisServer;
let prefix: string;

beforeAll(async () => {
  server = await RedisServer.start();
});

beforeEach(() => {
  prefix = randomUUID();
});

afterAll(() => server.remove());

const open = (): Promise<RedisStorage> => openStorage(server, prefix);

const pass = (ms: number): Promise<void> => server.pass(prefix, ms);

describe('the claims of a process on Redis', () => {
  const PRESENCE_MS = 3_000;
  const claim = ({ messageIds }: RedisStorage) => messageIds.claim('web', ['a']);

  test('are seen by every process, and kept or released by the one that has them', async () => {
    const [{ messageIds: one }, { messageIds: other }] = [await open(), await open()];
    const claims = await Promise.all([one, other].map((each) => each.claim('web', ['a', 'b'])));
    expect(claims.toSorted()).toEqual([
      ['claimed', 'claimed'],
      ['new', 'new'],
    ]);
    // Either may have been first.
    const [first, second] = claims[0]?.[0] === 'new' ? [one, other] : [other, one];
    await first.keep('web', ['a']);
    await first.release('web', ['b']);
    expect(await second.claim('web', ['a', 'b'])).toEqual(['kept', 'new']);
    expect(await first.claim('web', ['b'])).toEqual(['claimed']);
  });

  test('end three seconds after the process was killed', async () => {
    const [gone, other] = [await open(), await open()];
    expect(await claim(gone)).toEqual(['new']);
    // As if it were killed: it lets go of nothing.
    await gone.close();
    expect(await claim(other)).toEqual(['claimed']);
    await pass(PRESENCE_MS);
    expect(await claim(other)).toEqual(['new']);
  });

  test('last for as long as it lives', async () => {
    const [living, other] = [await open(), await open()];
    await claim(living);
    await pass(PRESENCE_MS - 100);
    await expect.poll(() => server.look(presenceMs)).toBeGreaterThan(2_500);
    await pass(500);
    expect(await claim(other)).toEqual(['claimed']);
  });
});

/** For how long the process that claims something seems to be there still; the others say that they are there as well. */
async function presenceMs(redis: Redis): Promise<number> {
  const keys = await redis.keys(`{${prefix}}:seen:*`);
  const [claim = ''] = keys.filter((key) => !key.includes(':present:'));
  return redis.pttl(`{${prefix}}:seen:present:${await redis.get(claim)}`);
}
