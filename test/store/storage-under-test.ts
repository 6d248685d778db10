import type { Storage } from '../../src/store/storage.js';

/** A storage that has to keep what every storage has to keep. */
export interface StorageUnderTest {
  readonly name: string;
  /** Whether a storage that is opened again has what it had. */
  readonly lasts: boolean;
  /** Whether it can be open several times at once, as it is by several processes. */
  readonly isShared: boolean;
  /** Makes an empty storage for one test. The function it returns opens that storage, each time the same one. */
  setUp(): Promise<() => Promise<Storage>>;
  /**
   * Lets the storage's own clock go on by so many ms, beside the `nowMs` that calls are given. A storage that goes by
   * `nowMs` alone has nothing to do; without this function, nothing that takes time is tested.
   */
  readonly pass?: ((ms: number) => Promise<void>) | undefined;
}
