import { expect, test, vi } from 'vitest';
import { inTime } from '../../src/service/in-time.js';

const late = (): Error => new Error('too late');

test('work that ends in time gives its own result and leaves no timer behind', async () => {
  vi.useFakeTimers();
  expect(await inTime(Promise.resolve(7), 1_000, late)).toBe(7);
  await expect(inTime(Promise.reject(new Error('failed')), 1_000, late)).rejects.toThrow('failed');
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

test('work that does not end in time is rejected, and its later failure is ignored', async () => {
  let fail = (_: Error): void => {};
  const work = new Promise<never>((_, reject) => {
    fail = reject;
  });
  await expect(inTime(work, 1, late)).rejects.toThrow('too late');
  fail(new Error('failed after all'));
  await new Promise(setImmediate);
});
