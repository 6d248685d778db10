import { StoreFormatError } from '../store-errors.js';
import type { RedisClient } from './redis-client.js';

/** The version of the stored format. Raise it when processes of the previous version would misread the keys. */
export const FORMAT = 1;

/**
 * Writes the format if the storage has none.
 *
 * @throws StoreFormatError if the stored data has another format; nothing is written then.
 */
export async function assertFormat(link: RedisClient, prefix: string): Promise<void> {
  await writeFormat(link, prefix);
  const found = await link.ask((redis) => redis.get(formatKey(prefix)));
  if (found !== String(FORMAT))
    throw new StoreFormatError(`Redis under the prefix ${prefix}`, found ?? undefined, FORMAT);
}

const formatKey = (prefix: string): string => `{${prefix}}:format`;

/** Writes the format unless it exists. After Redis was emptied, every process that uses it does so. */
export async function writeFormat(link: RedisClient, prefix: string): Promise<void> {
  await link.ask((redis) => redis.set(formatKey(prefix), FORMAT, 'NX'));
}
