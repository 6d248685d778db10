import type { RedisClient } from './redis-client.js';
import type { RedisKeys } from './redis-keys.js';

/** Writes the URLs to Redis, where other processes read them, because keys contain only digests. */
export async function writeUrls(link: RedisClient, keys: RedisKeys, urls: readonly string[]): Promise<void> {
  const fields = urls.flatMap((url) => [keys.line(url).digest, url]);
  if (fields.length > 0) await link.ask((redis) => redis.hset(keys.urls, ...fields));
}

/** Reads all URLs of the store that Redis knows. */
export async function readUrls(link: RedisClient, keys: RedisKeys): Promise<void> {
  for (const url of await link.ask((redis) => redis.hvals(keys.urls))) keys.line(url);
}
