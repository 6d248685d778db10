import { onTestFinished } from 'vitest';
import { lmdbStorage } from '../../src/store/lmdb/lmdb-storage.js';
import { memoryStorage } from '../../src/store/memory/memory-storage.js';
import type { Storage } from '../../src/store/storage.js';
import { newFolder } from '../cli/files.js';
import type { EventStoreUnderTest } from './event-store-conformance.js';

/** A storage to which the tests of every storage apply. */
export interface StorageUnderTest {
  readonly name: string;
  /** True if a storage that is opened again still has its contents. */
  readonly lasts: boolean;
  /** True if several processes may have it open. */
  readonly isShared?: true;
  /** Creates an empty storage for one test. The returned function opens it, and always opens the same storage. */
  setUp(): Promise<() => Promise<Storage>>;
  /**
   * Advances the storage's own clock by this many ms, in addition to the `nowMs` of calls. A storage that only uses `nowMs` has
   * nothing to do. Without this function, tests that need time are skipped.
   */
  readonly pass?: ((ms: number) => Promise<void>) | undefined;
}

export const memoryUnderTest: StorageUnderTest = {
  name: 'memory',
  lasts: false,
  setUp: async () => {
    const storage = memoryStorage();
    return async () => storage;
  },
  pass: async () => {},
};

export const lmdbUnderTest: StorageUnderTest = {
  name: 'lmdb',
  lasts: true,
  setUp: async () => {
    const path = await newFolder();
    return () => lmdbStorage({ path });
  },
  pass: async () => {},
};

/** Returns the events of one destination in a storage, for the tests of event stores. */
export const deliveriesIn = ({ name, lasts, setUp }: StorageUnderTest): EventStoreUnderTest => ({
  name,
  lasts,
  setUp: async () => {
    const open = await setUp();
    let opened: Storage | undefined;
    onTestFinished(() => opened?.close());
    return async () => {
      await opened?.close();
      opened = await open();
      return opened.deliveries('orders');
    };
  },
});
