import type { Storage } from '../store/storage.js';
import type { StoreConfig } from './config/service-config.js';
import type { Log } from './service-log.js';
import { whileLate } from './while-late.js';

/**
 * Opens the store that a configuration names. The code of an engine and the packages that it needs are loaded only when it is
 * used.
 *
 * @param signal stops waiting for another process that has the folder open, or for a slow Redis
 * @throws any error of `lmdbStorage` or `redisStorage`
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
