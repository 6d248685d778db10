import { Pool } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { createPool } from '../../src/transport/pool.js';
import { serve } from '../support/loopback.js';

const answering = () =>
  serve((request, response) => {
    request.resume();
    response.end('here');
  });

test('the parts of undici that are loaded are where they are expected, and work', async () => {
  const pool = await createPool(await answering(), {});
  onTestFinished(() => pool.destroy());
  expect(pool).not.toBeInstanceOf(Pool);
  const { body } = await pool.request({ path: '/', method: 'POST' });
  expect(await body.text()).toBe('here');
});

test('where they are not, its index does', async () => {
  const pool = await createPool(await answering(), {}, () => Promise.reject(new Error('Cannot find module')));
  onTestFinished(() => pool.destroy());
  expect(pool).toBeInstanceOf(Pool);
  const { body } = await pool.request({ path: '/', method: 'POST' });
  expect(await body.text()).toBe('here');
});
