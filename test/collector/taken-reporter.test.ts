import { expect, test } from 'vitest';
import { listening, post, track } from './support.js';

test('an observer that rejects is reported, and does not end the process', async () => {
  const fail = () => Promise.reject(new Error('observer'));
  const { url, errors } = await listening({ onAnswered: fail, onRejected: fail });
  expect((await post(url, { batch: [track(), {}] })).status).toBe(200);
  expect(errors).toEqual([new Error('observer'), new Error('observer')]);
});

test('an observer that throws is reported and does not change a response', async () => {
  const fail = () => {
    throw new Error('observer');
  };
  const { url, errors } = await listening({ onAnswered: fail, onRejected: fail });
  expect((await post(url, { batch: [track(), {}] })).status).toBe(200);
  expect(errors).toEqual([new Error('observer'), new Error('observer')]);
});
