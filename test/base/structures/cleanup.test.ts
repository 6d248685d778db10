import { expect, test } from 'vitest';
import { Cleanup, withCleanup } from '../../../src/base/structures/cleanup.js';

const failing = (text: string) => async (): Promise<void> => {
  throw new Error(text);
};

test('a cleanup closes the latest part first and waits for each', async () => {
  const closed: number[] = [];
  const cleanup = new Cleanup();
  for (const part of [1, 2, 3]) {
    cleanup.defer(async () => {
      await Promise.resolve();
      closed.push(part);
    });
  }
  await cleanup.close();
  expect(closed).toEqual([3, 2, 1]);
});

test('a cleanup closes the remaining parts if one fails, and throws the first failure', async () => {
  const closed: number[] = [];
  const cleanup = new Cleanup();
  cleanup.defer(() => closed.push(1));
  cleanup.defer(failing('second'));
  cleanup.defer(() => closed.push(3));
  cleanup.defer(() => {
    throw new Error('first');
  });
  await expect(cleanup.close()).rejects.toThrow('first');
  expect(closed).toEqual([3, 1]);
});

test('a second call of close does not close anything again', async () => {
  const closed: number[] = [];
  const cleanup = new Cleanup();
  cleanup.defer(() => closed.push(1));
  await cleanup.close();
  await cleanup.close();
  expect(closed).toEqual([1]);
});

test('withCleanup leaves what was opened open if nothing fails', async () => {
  const closed: number[] = [];
  const opened = await withCleanup(async (cleanup) => {
    cleanup.defer(() => closed.push(1));
    return 'open';
  });
  expect([opened, closed]).toEqual(['open', []]);
});

test('withCleanup closes what was opened before a failure, and throws that failure even if closing fails', async () => {
  const closed: number[] = [];
  const opening = withCleanup(async (cleanup) => {
    cleanup.defer(() => closed.push(1));
    cleanup.defer(failing('while closing'));
    throw new Error('while opening');
  });
  await expect(opening).rejects.toThrow('while opening');
  expect(closed).toEqual([1]);
});
