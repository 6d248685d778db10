import { createHash } from 'node:crypto';
import { OptionError } from '../../base/errors/errors.js';
import type { OfUser } from '../event-store.js';
import type { RedisClient } from './redis-client.js';

/** A cluster deals its keys to its nodes by this many slots. */
const SLOTS = 16_384;

/** Enough for a cluster that grows: it can have no more nodes at work than there are partitions. */
export const PARTITIONS = 16;

/** The most: each is asked for what waits. */
export const MOST_PARTITIONS = 256;

/**
 * What stands between the braces of the keys of each partition, so that their slots are spread evenly: a node has about as many
 * partitions as its share of the slots.
 *
 * @param slotOf gives the slot in which a key lies
 */
export function partitionTags(prefix: string, count: number, slotOf: (key: string) => number): string[] {
  return Array.from({ length: count }, (_, index) => {
    for (let attempt = 0; ; attempt++) {
      const tag = `${prefix}:p${index}.${attempt}`;
      if (Math.floor((slotOf(`{${tag}}`) * count) / SLOTS) === index) return tag;
    }
  });
}

/** Gives the place of the partition in which an event is, or is to be. */
export type PlaceOf = (event: OfUser) => number;

/** The place of the partition that has the messages of that text. */
export const partitionOf = (text: string, count: number): number =>
  createHash('sha1').update(text).digest().readUInt32BE() % count;

/**
 * How many partitions the storage has: as many as when it was made, as an id belongs to one of them for good.
 *
 * @throws OptionError when it is asked for another number.
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
