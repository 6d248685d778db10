import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { newEvent } from '../../../src/delivery/completion-rule.js';
import { Messages } from '../../../src/store/redis/messages.js';
import { RedisClient } from '../../../src/store/redis/redis-client.js';
import { encodeRecord } from '../../../src/store/redis/stored-text.js';

const record = encodeRecord(
  newEvent('m1', 'track', ['https://a.example/'], 1_000, { source: 'web' }),
  Buffer.from('{}'),
);

const hgetBuffer = async (key: string, ref: string) => (key === '{own}:messages' && ref === 'r1' ? record : null);

const open = () => new Messages(new RedisClient({ hgetBuffer } as unknown as Redis), '{own}:');

test('no two messages get the same ref, from one process or from several', () => {
  const [one, other] = [open(), open()];
  const refs = Array.from({ length: 100 }, () => [one.newRef(), other.newRef()]).flat();
  expect(new Set(refs).size).toBe(200);
});

test('a message on Redis is read by its ref', async () => {
  expect(await open().read('r1')).toEqual({
    type: 'track',
    acceptedAt: 1_000,
    source: 'web',
    trace: undefined,
    body: Buffer.from('{}'),
  });
});

test('a message that Redis no longer has is read as undefined', async () => {
  expect(await open().read('r2')).toBeUndefined();
});
