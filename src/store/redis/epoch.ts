import { randomUUID } from 'node:crypto';
import type { RedisClient } from './redis-client.js';

/**
 * A random id in each partition, written by the first process that finds none. We never remove or change it, so a
 * process that finds another id, or none, knows that Redis was emptied or that a server without the data took over.
 */
export class Epoch {
  readonly #link: RedisClient;
  /** The known id of each partition, by the hash tag of its keys: a cluster can lose one partition alone. */
  readonly #known: Map<string, string>;
  /** True if no partition had an id when the storage was opened: then the storage holds nothing yet. */
  readonly isNew: boolean;

  private constructor(link: RedisClient, known: Map<string, string>, isNew: boolean) {
    this.#link = link;
    this.#known = known;
    this.isNew = isNew;
  }

  static async open(link: RedisClient, tags: readonly string[]): Promise<Epoch> {
    const ids = await Promise.all(tags.map(async (tag) => [tag, await begin(link, tag)] as const));
    const isNew = ids.every(([, { isNew }]) => isNew);
    return new Epoch(link, new Map(ids.map(([tag, { id }]) => [tag, id])), isNew);
  }

  /**
   * Returns true once after the data of any partition is gone.
   *
   * @param restore writes again what a storage needs, before any new epoch is written
   */
  async isOver(restore: () => Promise<void>): Promise<boolean> {
    const over = await Promise.all([...this.#known].map(([tag, id]) => this.#isOver(tag, id, restore)));
    return over.includes(true);
  }

  async #isOver(tag: string, id: string, restore: () => Promise<void>): Promise<boolean> {
    if ((await this.#link.ask((redis) => redis.get(keyOf(tag)))) === id) return false;
    await restore();
    const found = await begin(this.#link, tag);
    // Two checks may find the same change at the same time; only the first reports it.
    if (this.#known.get(tag) !== id) return false;
    this.#known.set(tag, found.id);
    return true;
  }
}

async function begin(link: RedisClient, tag: string): Promise<{ id: string; isNew: boolean }> {
  const own = randomUUID();
  const id = await link.setOnce(keyOf(tag), own);
  return { id, isNew: id === own };
}

const keyOf = (tag: string): string => `{${tag}}:epoch`;
