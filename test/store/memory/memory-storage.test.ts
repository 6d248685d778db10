import { expect, test } from 'vitest';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { describeEventStore } from '../event-store-conformance.js';
import { describeIntake } from '../intake-conformance.js';
import { deliveriesIn, memoryUnderTest } from '../storage-under-test.js';

describeIntake(memoryUnderTest);
describeEventStore(deliveriesIn(memoryUnderTest));

test('in memory each destination has its own deliveries, and always the same ones', async () => {
  const storage = memoryStorage();
  expect(await storage.deliveries('crm')).toBe(await storage.deliveries('crm'));
  expect(await storage.deliveries('crm')).not.toBe(await storage.deliveries('mail'));
  await storage.check();
  expect(await storage.size()).toBe(0);
});
