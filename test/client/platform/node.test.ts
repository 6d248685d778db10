import { expect, test } from 'vitest';
import { findChannel, newStorage } from '../../../src/client/platform/node.js';

test('the platform keeps a value for what is called inside of a function, after an await as well', async () => {
  const storage = newStorage<string>();
  const seen = await storage.run('value', async () => {
    await null;
    return storage.getStore();
  });
  expect([seen, storage.getStore()]).toEqual(['value', undefined]);
});

test('findChannel finds the same channel by its name each time', () => {
  expect(findChannel('batch:flushed')).toBe(findChannel('batch:flushed'));
});
