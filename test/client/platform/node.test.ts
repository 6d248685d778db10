import { expect, test } from 'vitest';
import { findChannel, newStorage } from '../../../src/client/platform/node.js';

test('the storage keeps a value for everything that is called inside a function, even after an await', async () => {
  const storage = newStorage<string>();
  const seen = await storage.run('value', async () => {
    await null;
    return storage.getStore();
  });
  expect([seen, storage.getStore()]).toEqual(['value', undefined]);
});

test('findChannel returns the same channel for the same name', () => {
  expect(findChannel('batch:flushed')).toBe(findChannel('batch:flushed'));
});
