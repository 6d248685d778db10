import { checkOptions } from '../../base/options/check-options.js';
import { type OpenedStore, SharedStore, type Store } from '../store.js';
import { LmdbDestinations } from './lmdb-destinations.js';
import { FOLDER_RULES, LmdbEnvironment, type LmdbEnvironmentOptions } from './lmdb-environment.js';

export interface LmdbStoreOptions {
  /** A folder, created if necessary. Only one process can use it at a time. */
  path: string;
  /** The longest time to wait for another process to close the folder or to end, in milliseconds. @default 0 */
  lockTimeout?: number | undefined;
}

/**
 * Opens a store on the local disk. Accepted events survive `kill -9` and, if the disk works as promised, power failures. The
 * folder is locked until the last destination that uses the store is closed, or the process ends. Needs the package `lmdb`.
 *
 * @throws LmdbMissingError when the package `lmdb` is not installed.
 * @throws StoreInUseError when another store has the folder open, after `lockTimeout`.
 * @throws StoreFormatError when another version has written the folder in another format.
 * @throws StoreDamagedError when its file is damaged; StoreOpenError when it cannot be opened for another reason.
 * @throws OptionError when an option is wrong.
 *
 * @example
 * const store = await lmdbStore({ path: './deliveries' });
 * const destination = await Destination.open({ webhooks: [{ url }], store });
 */
export async function lmdbStore(options: LmdbStoreOptions): Promise<Store> {
  checkOptions<LmdbStoreOptions>(options, FOLDER_RULES, {
    door: 'store',
    example: "lmdbStore({ path: './deliveries' })",
  });
  const { path, lockTimeout = 0 } = options;
  const open = () => openDestinations({ path, lock: 'alone', lockTimeoutMs: lockTimeout });
  return new SharedStore(open, await open());
}

async function openDestinations(options: LmdbEnvironmentOptions): Promise<OpenedStore> {
  const environment = await LmdbEnvironment.open(options);
  const destinations = await environment.build(() => new LmdbDestinations(environment));
  return { deliveries: (name) => destinations.open(name), close: () => environment.close() };
}
