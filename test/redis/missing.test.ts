import { expect, test, vi } from 'vitest';
import { redisStorage } from '../../src/store/redis/redis-storage.js';

// This test has its own file, because a failed import is not repeated within a process.
vi.mock('ioredis', () => {
  throw new Error("Cannot find package 'ioredis'");
});

test('without its packages, storage on Redis explains how to install them', async () => {
  await expect(redisStorage({ url: 'redis://127.0.0.1:1' })).rejects.toMatchObject({
    name: 'RedisMissingError',
    code: 'EVENTFERRY_STORE_REDIS_MISSING',
    message: 'Storage on Redis needs the package ioredis: npm install ioredis@5',
  });
});
