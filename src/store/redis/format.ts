import type { Redis } from 'ioredis';
import { StoreFormatError } from '../errors.js';
import type { RedisClient } from './redis-client.js';

/** What the keys of a storage mean. It becomes another number whenever a process of the version before would read them wrong. */
export const FORMAT = 1;

/** About how many keys one command looks through. */
const PAGE = 1_000;

/**
 * Puts the format down where nothing is kept yet.
 *
 * @throws StoreFormatError where what is kept is of another format; nothing is written then.
 */
export async function assertFormat(link: RedisClient, prefix: string): Promise<void> {
  const key = formatKey(prefix);
  const read = (): Promise<string | null> => link.ask((redis) => redis.get(key));
  if ((await read()) === null) {
    // Another process may have begun meanwhile: then the format is there.
    if (!(await isUsed(link, prefix))) await writeFormat(link, prefix);
  }
  const found = await read();
  if (found !== String(FORMAT))
    throw new StoreFormatError(`Redis under the prefix ${prefix}`, found ?? undefined, FORMAT);
}

const formatKey = (prefix: string): string => `{${prefix}}:format`;

/** Whether there is any key of the storage. All keys of the server are looked through for it, once in the life of a storage. */
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

/** A key under `shop:eu` may be that of another storage, which says its format there. */
async function isOf(prefix: string, key: string, link: RedisClient): Promise<boolean> {
  const tag = key.slice(1, key.indexOf('}'));
  for (let end = tag.length; end > prefix.length; end = tag.lastIndexOf(':', end - 1)) {
    const other = formatKey(tag.slice(0, end));
    if ((await link.ask((redis) => redis.exists(other))) === 1) return false;
  }
  return true;
}

/** Where somebody has emptied Redis, whoever wrote the format before writes it again. */
export async function writeFormat(link: RedisClient, prefix: string): Promise<void> {
  await link.ask((redis) => redis.set(formatKey(prefix), FORMAT, 'NX'));
}
