import { COUNTS, Counts, readCountKey } from '../../../src/service/ingest/counts.js';
import type { KeyValueStore } from '../../../src/store/key-value-store.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { FakeClock } from '../../support/fake-clock.js';

/** Opens the counts of a service, with a function that returns what was written. */
export function counting(keyValues: KeyValueStore = memoryStorage().keyValues) {
  const clock = new FakeClock();
  const errors: unknown[] = [];
  const counts = new Counts({
    keyValues,
    clock,
    history: { addSource: () => {} },
    onError: (error) => errors.push(error),
  });
  const written = async () =>
    (await keyValues.list(COUNTS, undefined, 5_000)).map(({ key, value }) => ({ ...readCountKey(key), value }));
  return { counts, clock, errors, keyValues, written };
}
