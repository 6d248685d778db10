import { expect, onTestFinished, test } from 'vitest';
import { createPool } from '../../../src/client/transport/undici-transport.js';

test("undici's pool is of connections that say whether they were used before", async () => {
  const pool = await createPool('http://127.0.0.1:9', {});
  onTestFinished(() => pool.destroy());
  expect(pool.constructor.name).toBe('Pool');
  expect(pool.dispatch).toBeTypeOf('function');
});
