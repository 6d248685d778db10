import { onTestFinished } from 'vitest';
import { lmdbStorage } from '../../src/store/lmdb/lmdb-storage.js';
import { memoryStorage } from '../../src/store/memory/memory-storage.js';
import type { Storage } from '../../src/store/storage.js';
import { newFolder } from '../cli/files.js';
import type { EventStoreUnderTest } from './event-store-conformance.js';

/** A storage that has to keep what every storage has to keep. */
export interface StorageUnderTest {
  readonly name: string;
  /** Whether a storage that is opened again has what it had. */
  readonly lasts: boolean;
  /** Whether several processes may have it open. */
  readonly isShared?: true;
  /** Makes an empty storage for one test. The function it returns opens that storage, each time the same one. */
  setUp(): Promise<() => Promise<Storage>>;
  /**
   * Lets the storage's own clock go on by so many ms, beside the `nowMs` that calls are given. A storage that goes by
   * `nowMs` alone has nothing to do; without this function, nothing that takes time is tested.
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

/** The events of one destination in a storage. */
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
