import type { Storage } from '../store/storage.js';
import type { StoreConfig } from './config/service-config.js';
import type { Log } from './service-log.js';
import { whileLate } from './while-late.js';

/**
 * Opens what a configuration names. The code of each engine is loaded when it is asked for, as are the packages it needs.
 *
 * @param signal ends the waiting for another process that has the folder, or for a Redis that is slow
 * @throws what `lmdbStorage` and `redisStorage` throw
 */
export async function openStorage(store: StoreConfig, log: Log, signal?: AbortSignal): Promise<Storage> {
  const onWarning = (text: string): void => log.warn({ store: store.type }, text);
  if (store.type === 'redis') {
    const { redisStorage } = await import('../store/redis/redis-storage.js');
    const { type: _, ...options } = store;
    return whileLate(() => redisStorage({ ...options, onWarning }), { log, signal });
  }
  const { lmdbStorage } = await import('../store/lmdb/lmdb-storage.js');
  return lmdbStorage({ path: store.path, lockTimeout: store.lockTimeout, onWarning, signal });
}
