import type { StoredEvent } from '../../delivery/completion-rule.js';
import { compareQueueKeys, type Position, type QueueKey, type Stage, waitingEntries } from '../event-store.js';
import type { RedisClient } from './redis-client.js';
import type { RedisEvents } from './redis-events.js';
import type { RedisKeys } from './redis-keys.js';
import { LIST_AFTER, queueKeysIn } from './redis-store-scripts.js';
import { ifReadable } from './stored-text.js';

/** Before everything in a line, and after its claims, which have scores below 0. */
const START: QueueKey = { at: -1, id: '' };

/** How many claims one command lists. */
const PAGE = 500;

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

  async waiting(url: string, position: Position, after: QueueKey | undefined, limit: number): Promise<QueueKey[]> {
    const { behind } = this.#keys.line(url);
    // What is behind others nobody claims.
    return position === 'behind' ? this.#list(behind, after, limit) : this.#inLine(url, position, after, limit);
  }

  async isBehind(url: string, id: string): Promise<boolean> {
    const { behind } = this.#keys.line(url);
    return (await this.#link.ask((redis) => redis.zscore(behind, id))) !== null;
  }

  async #inLine(url: string, stage: Stage, after: QueueKey | undefined, limit: number): Promise<QueueKey[]> {
    const { first, timed } = this.#keys.line(url);
    const listed = await this.#list(stage === 'first' ? first : timed, after, limit);
    const claimed = await this.#claimed(url, stage);
    if (claimed.length === 0) return listed;
    // One that was claimed just now is in both.
    const keys = new Map([...listed, ...claimed].map((key) => [key.id, key]));
    const later = [...keys.values()].filter((key) => after === undefined || compareQueueKeys(key, after) > 0);
    return later.sort(compareQueueKeys).slice(0, limit);
  }

  dead(after: QueueKey | undefined, limit: number): Promise<QueueKey[]> {
    return this.#list(this.#keys.dead, after, limit);
  }

  /** A claim stands in the line under the end of its lease: by when it is due, its event says. */
  async #claimed(url: string, stage: Stage): Promise<QueueKey[]> {
    const { timed } = this.#keys.line(url);
    const ids: string[] = [];
    for (let isMore = true; isMore; ) {
      const page = await this.#link.ask((redis) => redis.zrangebyscore(timed, '-inf', '(0', 'LIMIT', ids.length, PAGE));
      ids.push(...page);
      isMore = page.length === PAGE;
    }
    // What cannot be read is reported by the process that claims it.
    const reads = await Promise.all(ids.map((id) => ifReadable(this.#events.read(id))));
    return reads.flatMap((read) => {
      const entry = read && entryAt(url, read.event);
      return entry?.stage === stage ? [{ at: entry.at, id: entry.id }] : [];
    });
  }

  async #list(key: string, after: QueueKey = START, limit: number): Promise<QueueKey[]> {
    return queueKeysIn(await this.#link.run(LIST_AFTER, [key], [after.at, after.id, limit]));
  }
}

/** Where the event waits at the URL. */
export const entryAt = (url: string, event: StoredEvent) => waitingEntries(event).find((entry) => entry.url === url);
