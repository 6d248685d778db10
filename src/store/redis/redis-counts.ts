import type { StoredEvent } from '../../delivery/completion-rule.js';
import { type Backlog, type DeadTotals, waitingEntries } from '../event-store.js';
import { type Counted, Tally } from '../tally.js';
import { BYTES } from './lua.js';
import type { Messages } from './messages.js';
import { type RedisClient, Script } from './redis-client.js';
import { countOf, type RedisKeys } from './redis-keys.js';

/** How much waits for one URL, and since when. */
export interface UrlBacklog extends Backlog {
  /** How many first attempts no process has claimed. */
  readonly unclaimed: number;
  /** Of what no process has claimed. */
  readonly oldestDue: number | undefined;
}

/**
 * KEYS: first, claimed, retry, counts, events, messages. ARGV: the field of the bytes. Gives how many wait for a first attempt, are claimed,
 * and wait for a retry, the bytes of all, and since when the first and the retries wait.
 */
const BACKLOG = new Script(`
${BYTES}
local bytes = tonumber(redis.call('HGET', KEYS[4], ARGV[1]) or 0)
for _, id in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do bytes = bytes + bytesWaiting(KEYS[5], KEYS[6], id) end
local answer = { redis.call('ZCARD', KEYS[1]), redis.call('ZCARD', KEYS[2]), redis.call('ZCARD', KEYS[3]), bytes }
for i = 1, 3, 2 do answer[#answer + 1] = redis.call('ZRANGE', KEYS[i], 0, 0, 'WITHSCORES')[2] end
return answer
`);

/** How much a store in Redis holds. How many wait, Redis knows of each index; all else is counted in a hash. */
export class RedisCounts {
  readonly #link: RedisClient;
  readonly #keys: RedisKeys;
  readonly #messages: Messages;

  constructor(link: RedisClient, keys: RedisKeys, messages: Messages) {
    this.#link = link;
    this.#keys = keys;
    this.#messages = messages;
  }

  async of(url: string): Promise<UrlBacklog> {
    const { events, counts } = this.#keys;
    const [first, retry] = [this.#keys.waiting(url, 'first'), this.#keys.waiting(url, 'retry')];
    const keys = [first, this.#keys.claimed(url), retry, counts, events, this.#messages.records];
    // As the script gives it.
    const answer = (await this.#link.run(BACKLOG, keys, [this.#keys.bytes(url)])) as [number, number, number, number];
    const [unclaimed, claimed, retries, bytes, ...dues] = answer.map(Number) as typeof answer;
    const waiting = { first: unclaimed + claimed, retry: retries };
    return { url, ...waiting, unclaimed, bytes, oldestDue: dues.length === 0 ? undefined : Math.min(...dues) };
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

  /**
   * By how much which count changes. An event that does not know its size is from before there were counts. What no longer waits for a
   * first attempt may have been claimed: how much of it was counted, only Redis knows.
   */
  changes(before: StoredEvent | undefined, after: StoredEvent | undefined): [field: string, change: number][] {
    const tally = new Tally();
    if (before?.bytes !== undefined) tally.add(before, -1);
    if (after?.bytes !== undefined) tally.add(after, 1);
    const dead = [...tally.entries()].flatMap<[field: string, change: number]>(([url, what, change]) =>
      what === 'first' || what === 'retry' || what === 'bytes'
        ? []
        : [[countOf(url && this.#keys.digest(url), what), change]],
    );
    return [...dead, ...this.#bytesChanges(before, after)];
  }

  #bytesChanges(before: StoredEvent | undefined, after: StoredEvent | undefined): [field: string, change: number][] {
    const changes = new Map<string, number>();
    const add = (url: string, bytes: number): void => {
      const field = this.#keys.bytes(url);
      changes.set(field, (changes.get(field) ?? 0) + bytes);
    };
    const was = before?.bytes === undefined ? [] : waitingEntries(before);
    const is = after?.bytes === undefined ? [] : waitingEntries(after);
    for (const { url, stage } of was) if (stage === 'retry') add(url, -(before?.bytes ?? 0));
    for (const { url, stage, at } of is) {
      const waitedSo = stage === 'first' && was.some((each) => each.url === url && each.at === at);
      if (!waitedSo) add(url, after?.bytes ?? 0);
    }
    return [...changes].filter(([, change]) => change !== 0);
  }
}

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
