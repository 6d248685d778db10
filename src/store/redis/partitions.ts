import { createHash } from 'node:crypto';
import { OptionError } from '../../base/errors/errors.js';
import type { OfUser } from '../event-store.js';
import { isCluster, type RedisClient } from './redis-client.js';

/** The number of hash slots in a Redis Cluster. */
const SLOTS = 16_384;

/**
 * The default number of partitions. It leaves room to grow, because a cluster cannot use more masters than there are partitions.
 */
export const PARTITIONS = 16;

/** The most partitions. The number is limited because every partition is asked for its due deliveries. */
export const MOST_PARTITIONS = 256;

/**
 * Returns the hash tag of each partition, chosen so that their slots are spread evenly. The share of partitions on each node then
 * matches its share of the slots.
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

/** Returns the hash tag of each partition: one, if everything is on one server. */
export async function tagsOf(
  link: RedisClient,
  prefix: string,
  wanted: number | undefined,
  slotOf: (key: string) => number,
): Promise<readonly [string, ...string[]]> {
  if (!isCluster(link.redis)) return [prefix];
  const [first = prefix, ...others] = partitionTags(prefix, await partitionCount(link, prefix, wanted), slotOf);
  return [first, ...others];
}

/** Returns the number of the partition that an event belongs to. */
export type PlaceOf = (event: OfUser) => number;

/** Returns the number of the partition for a text: a user, or the id of a message without a user. */
export const partitionOf = (text: string, count: number): number =>
  createHash('sha1').update(text).digest().readUInt32BE() % count;

/**
 * Returns the number of partitions with which the storage was created. It never changes, because each user's events stay in one
 * partition.
 *
 * @throws OptionError if another number is wanted; nothing is written then
 */
export async function partitionCount(link: RedisClient, prefix: string, wanted: number | undefined): Promise<number> {
  const count = Number(await link.setOnce(`{${prefix}}:partitions`, String(wanted ?? PARTITIONS)));
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
