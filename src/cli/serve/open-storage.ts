import type { StoreConfig } from '../../service/config/config.js';
import type { Log } from '../../service/log.js';
import { openStorage } from '../../service/open-storage.js';
import type { Storage } from '../../store/storage.js';
import { CliError, codeOf, reasonOf } from '../cli-error.js';

const ABOUT_THE_FOLDER = ['EVENTFERRY_STORE_UNOPENED', 'EVENTFERRY_STORE_DAMAGED', 'EVENTFERRY_STORE_IN_USE'];

/**
 * @throws CliError when the folder is in use, damaged, or cannot be opened
 * @throws LmdbMissingError, RedisMissingError, RedisTooOldError, RedisUnfitError, RedisFailedError
 */
export function openConfiguredStorage(store: StoreConfig, log: Log): Promise<Storage> {
  return openStorage(store, log).catch((error: unknown) => {
    throw ABOUT_THE_FOLDER.includes(codeOf(error) ?? '') ? new CliError(`store.path: ${reasonOf(error)}`) : error;
  });
}
