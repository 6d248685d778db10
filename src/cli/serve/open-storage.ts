import type { StoreConfig } from '../../service/config/config.js';
import type { Log } from '../../service/log.js';
import type { Storage } from '../../service/storage/storage.js';

/**
 * The code of each is loaded when it is asked for, as are the packages it needs.
 *
 * @throws LmdbMissingError, RedisMissingError, RedisUnfitError, RedisFailedError
 */
export async function openStorage(store: StoreConfig, log: Log): Promise<Storage> {
  if (store.type === 'redis') {
    const { redisStorage } = await import('../../service/storage/redis-storage.js');
    const { url, prefix } = store;
    return redisStorage({ url, prefix, onWarning: (text) => log.warn({ store: store.type }, text) });
  }
  const { lmdbStorage } = await import('../../service/storage/lmdb-storage.js');
  return lmdbStorage({ path: store.path });
}
