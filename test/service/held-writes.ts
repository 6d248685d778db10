import type { KeyValueStore } from '../../src/store/key-value-store.js';
import { deferred } from '../collector/support.js';

/** Makes a key-value store whose writes wait until they are released. */
export function heldWrites(keyValues: KeyValueStore): { slow: KeyValueStore; held: { resolve(): void } } {
  const held = deferred();
  const write: KeyValueStore['write'] = async (changes) => {
    await held.promise;
    await keyValues.write(changes);
  };
  return { slow: { list: keyValues.list.bind(keyValues), write } as unknown as KeyValueStore, held };
}
