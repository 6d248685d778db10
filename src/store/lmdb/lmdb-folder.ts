import { isDead } from '../../this-process.js';
import type { EventStore } from '../event-store.js';
import { DESTINATIONS, LmdbDestinations } from './lmdb-destinations.js';
import { LmdbEnvironment } from './lmdb-environment.js';
import { LmdbMailbox } from './lmdb-mailbox.js';
import { openLmdbStore } from './lmdb-store.js';
import { SharedLmdbStore } from './shared-lmdb-store.js';

/** A destination in a folder, as one finds it who delivers nothing. What is replayed in its store, a process that delivers learns. */
export interface StoredDestination {
  /** Undefined where the folder is that of one destination. */
  readonly name: string | undefined;
  readonly store: EventStore;
  /** Whether a process delivers from it now. Of a folder of one destination that is not known, and it should not be. */
  isDelivering(): boolean;
}

export interface LmdbFolder {
  readonly destinations: readonly StoredDestination[];
  close(): Promise<void>;
}

/**
 * Opens what is in the folder of a `lmdbStore` that no process has open, or of a service, which may run meanwhile.
 *
 * @throws LmdbMissingError when the package `lmdb` is not installed.
 */
export async function openLmdbFolder(path: string): Promise<LmdbFolder> {
  const environment = await LmdbEnvironment.open({ path, lock: 'none' });
  if (isOfService(environment))
    return { destinations: await destinationsIn(environment), close: () => environment.close() };
  await environment.close();
  const store = await openLmdbStore({ path, lock: 'none' });
  return { destinations: [{ name: undefined, store, isDelivering: () => false }], close: () => store.close() };
}

/** `openDB` gives nothing where nothing is to be made, although its type has no word for that. */
const isOfService = ({ db }: LmdbEnvironment): boolean =>
  (db.openDB(DESTINATIONS, { create: false } as object) as unknown) !== undefined;

function destinationsIn(environment: LmdbEnvironment): Promise<StoredDestination[]> {
  const mailbox = new LmdbMailbox(environment);
  const destinations = new LmdbDestinations(environment);
  const opened = [...destinations.names()].map(async ([number, name]) => {
    const records = await destinations.records(number);
    const store = new SharedLmdbStore({ number, environment, records, mailbox, membership: undefined });
    const isDelivering = (): boolean => {
      const lease = mailbox.lease(number);
      const holder = lease && mailbox.process(lease.holder);
      return holder !== undefined && !isDead(holder);
    };
    return { name, store, isDelivering };
  });
  return Promise.all(opened);
}
