import { expect, test, vi } from 'vitest';
import { redisStorage } from '../../src/store/redis/redis-storage.js';

// In a file of its own: what could not be loaded once is not asked for again.
vi.mock('ioredis', () => {
  throw new Error("Cannot find package 'ioredis'");
});

test('without its packages, storage on Redis says how to install them', async () => {
  await expect(redisStorage({ url: 'redis://127.0.0.1:1' })).rejects.toMatchObject({
    name: 'RedisMissingError',
    code: 'EVENTFERRY_STORE_REDIS_MISSING',
    message: 'Storage on Redis needs the package ioredis: npm install ioredis@5',
  });
});
