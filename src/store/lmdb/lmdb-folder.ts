import type { EventStore } from '../event-store.js';
import { FolderLock } from './folder-lock.js';
import { LmdbDestinations } from './lmdb-destinations.js';
import { LmdbEnvironment, type LmdbEnvironmentOptions } from './lmdb-environment.js';

/** A destination in a folder, as one finds it who delivers nothing. */
export interface StoredDestination {
  /** Undefined where the destination has none. */
  readonly name: string | undefined;
  readonly store: EventStore;
}

export interface LmdbFolder {
  readonly destinations: readonly StoredDestination[];
  /** True if a process had it open when it was opened to be looked into. */
  readonly isInUse: boolean;
  close(): Promise<void>;
}

/**
 * Opens what is in the folder of an `lmdbStore` or of a service: with `lock: 'none'` to look into it, also beside the process that
 * has it open; with `lock: 'alone'` to change it, as long as none has.
 *
 * @throws LmdbMissingError when the package `lmdb` is not installed.
 * @throws StoreInUseError when the folder is to be changed, and a process has it open.
 */
export async function openLmdbFolder(options: LmdbEnvironmentOptions): Promise<LmdbFolder> {
  const isInUse = options.lock === 'none' && (await FolderLock.isHeld(options.path));
  const environment = await LmdbEnvironment.open(options);
  const destinations = await environment.build(() => destinationsIn(environment));
  return { destinations, isInUse, close: () => environment.close() };
}

function destinationsIn(environment: LmdbEnvironment): StoredDestination[] {
  const destinations = new LmdbDestinations(environment);
  return [...destinations.names()].map(([number, name]) => ({
    name: name === '' ? undefined : name,
    store: destinations.at(number),
  }));
}
