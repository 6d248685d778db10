import type { Redis } from 'ioredis';
import { StoreFormatError } from '../store-errors.js';
import type { RedisClient } from './redis-client.js';

/** The version of the stored format. Raise it when processes of the previous version would misread the keys. */
export const FORMAT = 1;

/** Roughly how many keys one SCAN reads. */
const PAGE = 1_000;

/**
 * Writes the format if the storage is empty.
 *
 * @throws StoreFormatError if the stored data has another format; nothing is written then.
 */
export async function assertFormat(link: RedisClient, prefix: string): Promise<void> {
  const key = formatKey(prefix);
  const read = (): Promise<string | null> => link.ask((redis) => redis.get(key));
  if ((await read()) === null) {
    // Another process may have started in the meantime; in that case it has written the format.
    if (!(await isUsed(link, prefix))) await writeFormat(link, prefix);
  }
  const found = await read();
  if (found !== String(FORMAT))
    throw new StoreFormatError(`Redis under the prefix ${prefix}`, found ?? undefined, FORMAT);
}

const formatKey = (prefix: string): string => `{${prefix}}:format`;

/** Returns true if any key of the storage exists. This scans all keys of the server, once in the life of a storage. */
async function isUsed(link: RedisClient, prefix: string): Promise<boolean> {
  const pattern = `{${prefix.replace(/[\\*?[\]^]/g, '\\$&')}[:}]*`;
  for (const master of link.masters) {
    for (let cursor: string | undefined = '0'; cursor !== undefined; ) {
      const from: string = cursor;
      const [next, keys] = await master.ask((redis) => (redis as Redis).scan(from, 'MATCH', pattern, 'COUNT', PAGE));
      for (const key of keys) if (await isOf(prefix, key, link)) return true;
      cursor = next === '0' ? undefined : next;
    }
  }
  return false;
}

/** Returns true if the key belongs to this storage. A key under `shop:eu` may belong to another storage, which has its own format key. */
async function isOf(prefix: string, key: string, link: RedisClient): Promise<boolean> {
  const tag = key.slice(1, key.indexOf('}'));
  for (let end = tag.length; end > prefix.length; end = tag.lastIndexOf(':', end - 1)) {
    const other = formatKey(tag.slice(0, end));
    if ((await link.ask((redis) => redis.exists(other))) === 1) return false;
  }
  return true;
}

/** Writes the format unless it exists. After Redis was emptied, every process that uses it does so. */
export async function writeFormat(link: RedisClient, prefix: string): Promise<void> {
  await link.ask((redis) => redis.set(formatKey(prefix), FORMAT, 'NX'));
}
