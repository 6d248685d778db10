import { onTestFinished } from 'vitest';
import { describeEventStore } from './event-store-conformance.js';
import { describeKeyValueStore } from './key-value-store-conformance.js';
import { describeMessageIdStore } from './message-id-store-conformance.js';
import type { StorageUnderTest } from './storage-under-test.js';

/** One suite for each of the three stores in a storage. */
export function describeStorage(storage: StorageUnderTest): void {
  const { name, lasts, setUp } = storage;
  describeMessageIdStore(storage);
  describeKeyValueStore(storage);
  describeEventStore({
    name,
    lasts,
    setUp: async () => {
      const open = await setUp();
      return async () => {
        const opened = await open();
        onTestFinished(() => opened.close());
        return opened.deliveries('orders');
      };
    },
  });
}
