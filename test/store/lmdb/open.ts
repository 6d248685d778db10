import { LmdbDestinations } from '../../../src/store/lmdb/lmdb-destinations.js';
import { LmdbEnvironment, type LmdbEnvironmentOptions } from '../../../src/store/lmdb/lmdb-environment.js';
import type { LmdbStore } from '../../../src/store/lmdb/lmdb-store.js';

/** Opens the deliveries of a folder's only destination without a name. Closing them closes the folder. */
export async function openLmdbStore(options: LmdbEnvironmentOptions): Promise<LmdbStore & { close(): Promise<void> }> {
  const environment = await LmdbEnvironment.open(options);
  const destinations = await environment.build(() => new LmdbDestinations(environment));
  const store = await destinations.open('');
  return Object.assign(store, { close: () => environment.close() });
}
