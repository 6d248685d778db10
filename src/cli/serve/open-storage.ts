import type { StoreConfig } from '../../service/config/config.js';
import type { Log } from '../../service/log.js';
import type { Storage } from '../../store/storage.js';
import { CliError, codeOf, reasonOf } from '../cli-error.js';

const ABOUT_THE_FOLDER = ['EVENTFERRY_STORE_UNOPENED', 'EVENTFERRY_STORE_DAMAGED', 'EVENTFERRY_STORE_IN_USE'];

/**
 * The code of each is loaded when it is asked for, as are the packages it needs.
 *
 * @throws CliError when the folder is in use, damaged, or cannot be opened
 * @throws LmdbMissingError, RedisMissingError, RedisTooOldError, RedisUnfitError, RedisFailedError
 */
export async function openStorage(store: StoreConfig, log: Log): Promise<Storage> {
  if (store.type === 'redis') {
    const { redisStorage } = await import('../../store/redis/redis-storage.js');
    const { url, prefix, waitForDisk } = store;
    return redisStorage({ url, prefix, waitForDisk, onWarning: (text) => log.warn({ store: store.type }, text) });
  }
  const { lmdbStorage } = await import('../../store/lmdb/lmdb-storage.js');
  try {
    return await lmdbStorage({ path: store.path });
  } catch (error) {
    throw ABOUT_THE_FOLDER.includes(codeOf(error) ?? '') ? new CliError(`store.path: ${reasonOf(error)}`) : error;
  }
}
