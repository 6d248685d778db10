import { StoreFormatError } from '../store-errors.js';
import type { RedisClient } from './redis-client.js';

/** The version of the stored format. Raise it when processes of the previous version would misread the keys. */
export const FORMAT = 2;

/**
 * Writes the format if the storage has none.
 *
 * @throws StoreFormatError if the stored data has another format; nothing is written then.
 */
export async function assertFormat(link: RedisClient, prefix: string): Promise<void> {
  const found = await link.setOnce(`{${prefix}}:format`, String(FORMAT));
  if (found !== String(FORMAT)) throw new StoreFormatError(`Redis under the prefix ${prefix}`, found, FORMAT);
}
