import type { EventStore } from '../event-store.js';
import { FolderLock } from './folder-lock.js';
import { LmdbDestinations } from './lmdb-destinations.js';
import { LmdbEnvironment, type LmdbEnvironmentOptions } from './lmdb-environment.js';

/** A destination in a folder, as seen by a program that delivers nothing. */
export interface StoredDestination {
  /** Undefined for the destination without a name. */
  readonly name: string | undefined;
  readonly store: EventStore;
}

export interface LmdbFolder {
  readonly destinations: readonly StoredDestination[];
  /** True if a process had the folder open when it was opened here. */
  readonly isInUse: boolean;
  close(): Promise<void>;
}

/**
 * Opens the folder of an `lmdbStore` or of a service: with `lock: 'none'` to read it, even while a process has it open; with
 * `lock: 'alone'` to change it while no process has it open.
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
    store: destinations.at(number, name),
  }));
}
