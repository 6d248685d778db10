import { StoreFormatError } from '../errors.js';
import type { RedisClient } from './redis-client.js';

/** What the keys of a storage mean. It becomes another number whenever a process of the version before would read them wrong. */
export const FORMAT = 1;

/** Of a storage of any version that has kept anything, one is there. */
const WITNESSES = ['messages', 'holders', 'partitions', 'shelf:values'];

/**
 * Puts the format down where nothing is kept yet.
 *
 * @throws StoreFormatError where what is kept is of another format; nothing is written then.
 */
export async function assertFormat(link: RedisClient, prefix: string): Promise<void> {
  const key = `{${prefix}}:format`;
  const read = (): Promise<string | null> => link.ask((redis) => redis.get(key));
  if ((await read()) === null) {
    const witnesses = WITNESSES.map((name) => `{${prefix}}:${name}`);
    const isUsed = (await link.ask((redis) => redis.exists(...witnesses))) > 0;
    // Another process may have begun meanwhile: then the format is there.
    if (!isUsed) await link.ask((redis) => redis.set(key, FORMAT, 'NX'));
  }
  const found = await read();
  if (found !== String(FORMAT))
    throw new StoreFormatError(`Redis under the prefix ${prefix}`, found ?? 'no number', FORMAT);
}
