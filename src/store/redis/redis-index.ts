import type { StoredEvent } from '../../delivery/completion-rule.js';
import { isWaiting } from '../../delivery/state.js';
import { compareQueueKeys, type QueueKey, type Stage, stageOf } from '../event-store.js';
import type { RedisClient } from './redis-client.js';
import type { RedisKeys } from './redis-keys.js';
import { LIST_AFTER, queueKeysIn } from './redis-store-scripts.js';

/** The ordered sets of one store, by which is found what waits and what is dead. */
export class RedisIndex {
  readonly #link: RedisClient;
  readonly #keys: RedisKeys;

  constructor(link: RedisClient, keys: RedisKeys) {
    this.#link = link;
    this.#keys = keys;
  }

  async waiting(url: string, stage: Stage, after: QueueKey | undefined, limit: number): Promise<QueueKey[]> {
    const listed = await this.#list(this.#keys.waiting(url, stage), after, limit);
    if (stage === 'retry') return listed;
    const claimed = await this.#claimedKeys(url);
    if (claimed.length === 0) return listed;
    // One that was claimed just now is in both.
    const keys = new Map([...listed, ...claimed].map((key) => [key.id, key]));
    const later = [...keys.values()].filter((key) => after === undefined || compareQueueKeys(key, after) > 0);
    return later.sort(compareQueueKeys).slice(0, limit);
  }

  dead(after: QueueKey | undefined, limit: number): Promise<QueueKey[]> {
    return this.#list(this.#keys.dead, after, limit);
  }

  /** Of what processes have claimed, which stands in the index under the end of its lease. */
  async #claimedKeys(url: string): Promise<QueueKey[]> {
    const ids = await this.#link.ask((redis) => redis.zrange(this.#keys.claimed(url), 0, -1));
    if (ids.length === 0) return [];
    const texts = await this.#link.ask((redis) => redis.hmget(this.#keys.events, ...ids));
    return texts.flatMap((text, index) => {
      const at = text === null ? undefined : firstDueAt(url, parse(text));
      return at === undefined ? [] : [{ at, id: ids[index] ?? '' }];
    });
  }

  async #list(key: string, after: QueueKey | undefined, limit: number): Promise<QueueKey[]> {
    const { at, id } = after ?? { at: '-inf', id: '' };
    return queueKeysIn(await this.#link.run(LIST_AFTER, [key], [at, id, limit]));
  }
}

/** By when the first attempt is due, where the delivery waits for that. */
export function firstDueAt(url: string, { urls }: StoredEvent): number | undefined {
  const state = urls[url];
  return state !== undefined && isWaiting(state) && stageOf(state) === 'first' ? state.due : undefined;
}

/** Our own writing, read back. */
const parse = (text: string): StoredEvent => JSON.parse(text) as StoredEvent;
