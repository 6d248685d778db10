import type { StoredEvent } from '../../delivery/completion-rule.js';
import { isWaiting } from '../../delivery/state.js';
import { compareQueueKeys, type QueueKey, type Stage, stageOf } from '../event-store.js';
import type { RedisClient } from './redis-client.js';
import type { RedisEvents } from './redis-events.js';
import type { RedisKeys } from './redis-keys.js';
import { LIST_AFTER, queueKeysIn } from './redis-store-scripts.js';

/** The ordered sets of one store, by which is found what waits and what is dead. */
export class RedisIndex {
  readonly #link: RedisClient;
  readonly #keys: RedisKeys;
  readonly #events: RedisEvents;

  constructor(link: RedisClient, keys: RedisKeys, events: RedisEvents) {
    this.#link = link;
    this.#keys = keys;
    this.#events = events;
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
    const reads = await Promise.all(ids.map((id) => this.#events.read(id)));
    return reads.flatMap((read) => {
      const at = read && firstDueAt(url, read.event);
      return read === undefined || at === undefined ? [] : [{ at, id: read.event.id }];
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
