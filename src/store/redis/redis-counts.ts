import type { StoredEvent } from '../../delivery/completion-rule.js';
import type { Backlog, DeadTotals } from '../event-store.js';
import { type Counted, Tally } from '../tally.js';
import type { RedisClient } from './redis-client.js';
import type { RedisKeys } from './redis-keys.js';
import { queueKeysIn } from './redis-store-scripts.js';

/** How much waits for one URL, and since when. */
export interface UrlBacklog extends Backlog {
  /** How many first attempts no process has claimed. */
  readonly unclaimed: number;
  /** Of what no process has claimed. */
  readonly oldestDue: number | undefined;
}

/** How much a store in Redis holds. How many wait, Redis knows of each index; all else is counted in a hash. */
export class RedisCounts {
  readonly #link: RedisClient;
  readonly #keys: RedisKeys;

  constructor(link: RedisClient, keys: RedisKeys) {
    this.#link = link;
    this.#keys = keys;
  }

  async of(url: string): Promise<UrlBacklog> {
    const [first, retry] = [this.#keys.waiting(url, 'first'), this.#keys.waiting(url, 'retry')];
    const claimed = this.#keys.claimed(url);
    const earliest = (key: string) => [key, 0, 0, 'WITHSCORES'] as const;
    const [firsts, claims, retries, bytes, ...oldest] = await this.#link.askAll((batch) =>
      batch
        .zcard(first)
        .zcard(claimed)
        .zcard(retry)
        .hget(this.#keys.counts, fieldOf(this.#keys.digest(url), 'bytes'))
        .zrange(...earliest(first))
        .zrange(...earliest(retry)),
    );
    const dues = oldest.flatMap((line) => queueKeysIn(line)).map(({ at }) => at);
    return {
      url,
      first: Number(firsts) + Number(claims),
      unclaimed: Number(firsts),
      retry: Number(retries),
      bytes: Number(bytes ?? 0),
      oldestDue: dues.length === 0 ? undefined : Math.min(...dues),
    };
  }

  async backlog(): Promise<Backlog[]> {
    const urls = Object.values(await this.#link.ask((redis) => redis.hgetall(this.#keys.urls)));
    const counts = await Promise.all(urls.map((url) => this.of(url)));
    return counts
      .map(({ oldestDue: _, unclaimed: __, ...backlog }) => backlog)
      .filter(({ first, retry }) => first + retry > 0);
  }

  async deadTotals(): Promise<DeadTotals> {
    const { dead, counts, urls } = this.#keys;
    const [events, counted, known] = await this.#link.askAll((batch) =>
      batch.zcard(dead).hgetall(counts).hgetall(urls),
    );
    const tally = new Tally();
    // Texts by texts is what HGETALL gives.
    tally.addAll(readCounts(counted as Record<string, string>, known as Record<string, string>));
    return { ...tally.deadTotals(), events: Number(events) };
  }

  /** By how much which count changes. An event that does not know its size is from before there were counts. */
  changes(before: StoredEvent | undefined, after: StoredEvent | undefined): [field: string, change: number][] {
    const tally = new Tally();
    if (before?.bytes !== undefined) tally.add(before, -1);
    if (after?.bytes !== undefined) tally.add(after, 1);
    return [...tally.entries()].flatMap(([url, what, change]) =>
      what === 'first' || what === 'retry' ? [] : [[fieldOf(url && this.#keys.digest(url), what), change]],
    );
  }
}

const fieldOf = (digest: string, what: string): string => `${digest}/${what}`;

function* readCounts(
  counts: Readonly<Record<string, string>>,
  urls: Readonly<Record<string, string>>,
): Generator<Counted, void, undefined> {
  for (const [field, count] of Object.entries(counts)) {
    const [digest = '', what] = field.split('/');
    const url = digest === '' ? '' : urls[digest];
    if (what !== undefined && url !== undefined) yield [url, what, Number(count)];
  }
}
