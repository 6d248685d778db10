import { test } from 'vitest';
import { killEither } from './killing.js';
import { redis } from './redis.js';

test('with Redis either of two services may be killed, and no acknowledged message is lost', async () => {
  await killEither(2, await redis());
});
