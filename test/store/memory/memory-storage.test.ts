import { expect, test } from 'vitest';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { describeStore } from '../event-store-conformance.js';
import { describeKeyValueStore } from '../key-value-store-conformance.js';
import { describeMessageIdStore } from '../message-id-store-conformance.js';
import type { StorageUnderTest } from '../storage-under-test.js';

const memory: StorageUnderTest = {
  name: 'memory',
  lasts: false,
  isShared: false,
  setUp: async () => {
    const storage = memoryStorage();
    return async () => storage;
  },
  pass: async () => {},
};

describeMessageIdStore(memory);
describeKeyValueStore(memory);
describeStore({
  name: 'memory storage',
  lasts: false,
  setUp: async () => {
    const storage = memoryStorage();
    return () => storage.deliveries('crm');
  },
});

test('each destination has deliveries of its own, and the same each time', async () => {
  const storage = memoryStorage();
  expect(await storage.deliveries('crm')).toBe(await storage.deliveries('crm'));
  expect(await storage.deliveries('crm')).not.toBe(await storage.deliveries('mail'));
  await storage.check();
  expect(await storage.size()).toBe(0);
});
