import { expect, test } from 'vitest';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';

test('each destination has deliveries of its own, and the same each time', async () => {
  const storage = memoryStorage();
  expect(await storage.deliveries('crm')).toBe(await storage.deliveries('crm'));
  expect(await storage.deliveries('crm')).not.toBe(await storage.deliveries('mail'));
  await storage.check();
  expect(await storage.size()).toBe(0);
});
