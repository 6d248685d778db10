import { createHash } from 'node:crypto';
import { OptionError } from '../../base/errors/errors.js';
import type { OfUser } from '../event-store.js';
import type { RedisClient } from './redis-client.js';

/** The number of hash slots in a Redis Cluster. */
const SLOTS = 16_384;

/** The default leaves room to grow: a cluster cannot use more masters than there are partitions. */
export const PARTITIONS = 16;

/** The maximum, because every partition is asked for its due deliveries. */
export const MOST_PARTITIONS = 256;

/**
 * Returns the hash tag of each partition, chosen so that their slots are spread evenly. Each node then has a share of
 * the partitions that matches its share of the slots.
 *
 * @param slotOf returns the slot of a key
 */
export function partitionTags(prefix: string, count: number, slotOf: (key: string) => number): string[] {
  return Array.from({ length: count }, (_, index) => {
    for (let attempt = 0; ; attempt++) {
      const tag = `${prefix}:p${index}.${attempt}`;
      if (Math.floor((slotOf(`{${tag}}`) * count) / SLOTS) === index) return tag;
    }
  });
}

/** Returns the number of the partition that an event belongs to. */
export type PlaceOf = (event: OfUser) => number;

/** The number of the partition for that text: a user, or the id of a message without one. */
export const partitionOf = (text: string, count: number): number =>
  createHash('sha1').update(text).digest().readUInt32BE() % count;

/**
 * Returns the number of partitions with which the storage was created. It never changes, because each user's events
 * belong to one partition for good.
 *
 * @throws OptionError if another number is wanted; nothing is written then
 */
export async function partitionCount(link: RedisClient, prefix: string, wanted: number | undefined): Promise<number> {
  const key = `{${prefix}}:partitions`;
  await link.ask((redis) => redis.setnx(key, wanted ?? PARTITIONS));
  const count = Number(await link.ask((redis) => redis.get(key)));
  if (wanted !== undefined && wanted !== count) {
    throw new OptionError(
      'store',
      'partitions',
      `${count}, with which the storage under the prefix ${prefix} was made`,
      String(wanted),
    );
  }
  return count;
}
