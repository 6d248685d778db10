import type { EventStore } from '../../../src/store/event-store.js';
import { LmdbDestinations } from '../../../src/store/lmdb/lmdb-destinations.js';
import { LmdbEnvironment, type LmdbEnvironmentOptions } from '../../../src/store/lmdb/lmdb-environment.js';

/** Opens the deliveries of a folder's only destination without a name. Closing them closes the folder. */
export async function openLmdbStore(options: LmdbEnvironmentOptions): Promise<EventStore> {
  const environment = await LmdbEnvironment.open(options);
  const destinations = await environment.build(() => new LmdbDestinations(environment));
  const store = await destinations.open('');
  store.close = () => environment.close();
  return store;
}
