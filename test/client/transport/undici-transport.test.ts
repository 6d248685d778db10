import { Pool } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { createPool } from '../../../src/client/transport/undici-transport.js';
import { serve } from '../../support/loopback.js';

const answering = () =>
  serve((request, response) => {
    request.resume();
    response.end('here');
  });

test('the part of undici that is loaded is where it is expected, and has no index', async () => {
  const pool = await createPool(await answering(), {});
  onTestFinished(() => pool.destroy());
  expect(pool.constructor.name).toBe('Pool');
  expect(pool.dispatch).toBeTypeOf('function');
});

test('where it is not, the index has it', async () => {
  const pool = await createPool(await answering(), {}, () => Promise.reject(new Error('Cannot find module')));
  onTestFinished(() => pool.destroy());
  expect(pool).toBeInstanceOf(Pool);
  const { body } = await pool.request({ path: '/', method: 'POST' });
  expect(await body.text()).toBe('here');
});
