import { expect, test } from 'vitest';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { KEEP_MS } from '../../../src/store/storage.js';
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

test('the memory storage remembers the sender of an id for exactly one day', async () => {
  const storage = memoryStorage();
  await storage.takeIn('web', [{ id: 'm1', body: Buffer.from('{}'), deliveries: [] }], 1_000);
  expect(await storage.sendersOf('m1', ['web', 'app'], 1_000 + KEEP_MS - 1)).toEqual(['web']);
  expect(await storage.sendersOf('m1', ['web', 'app'], 1_000 + KEEP_MS)).toEqual([]);
});
