import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { redisStorage } from '../../src/store/redis/redis-storage.js';
import { startRedis } from './storage.js';

const failure = (url: string, onWarning?: (text: string) => void): Promise<unknown> =>
  redisStorage({ url, onWarning }).then(
    async (storage) => storage.close(),
    (error: unknown) => error,
  );

describe('a password', () => {
  test('opens', async () => {
    const server = await startRedis({ requirepass: 'sesame' });
    expect(await failure(server.url.replace('//', '//:sesame@'))).toBeUndefined();
  });

  test('is in no error and no inspection', async () => {
    const server = await startRedis({ requirepass: 'sesame' });
    const urls = ['//user:wrong-secret@', '//:wrong-secret@'].map((user) => server.url.replace('//', user));
    for (const url of [...urls, 'http://:wrong-secret@127.0.0.1', 'redis://:wrong-secret@127.0.0.1:1']) {
      const error = await failure(url);
      expect(error).toBeInstanceOf(Error);
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('wrong-secret');
    }
    const storage = await redisStorage({ url: server.url.replace('//', '//:sesame@') });
    const shown = inspect([storage, await storage.deliveries('orders')], { depth: 9, showHidden: true });
    await storage.close();
    expect(shown).not.toContain('sesame');
  });
});
