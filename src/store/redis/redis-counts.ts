import type { StoredEvent } from '../../delivery/completion-rule.js';
import type { Backlog, DeadTotals } from '../event-store.js';
import { type Counted, Tally } from '../tally.js';
import { NOW } from './lua.js';
import type { Messages } from './messages.js';
import { type RedisClient, Script } from './redis-client.js';
import { countOf, type RedisKeys } from './redis-keys.js';
import { MOST_DELIVERIES } from './script-bounds.js';

/** The deliveries that wait for one URL, and since when. */
export interface UrlBacklog extends Backlog {
  /** The earliest due time of a delivery in the line that no process has claimed. */
  readonly oldestDue: number | undefined;
}

/**
 * Counts one URL's deliveries. A line without any is removed from the set of lines to look at.
 *
 * KEYS: first, timed, counts, events, due, behind.
 *
 * ARGV:
 * - the name of the line
 * - the field of its byte count
 * - two texts, of which one occurs in the event's record if the event waits for a retry at this URL
 * - the most claims whose records are read; the others are assumed to be in proportion
 *
 * Returns:
 * - the number of first attempts, including those that wait behind others
 * - the number of retries
 * - the bytes of all of them
 * - the end of the last lease that is over, the score of the first untried delivery, and the first due time of a retry,
 *   each if there is one
 */
const BACKLOG = new Script(`
${NOW}
local first, timed = redis.call('ZCARD', KEYS[1]) + redis.call('ZCARD', KEYS[6]), redis.call('ZCARD', KEYS[2])
if first + timed == 0 then
  redis.call('ZREM', KEYS[5], ARGV[1])
  return { 0, 0, 0 }
end
local claims, untried = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', '(0', 'LIMIT', 0, ARGV[5]), 0
if #claims > 0 then
  for _, text in ipairs(redis.call('HMGET', KEYS[4], unpack(claims))) do
    if not text or not (string.find(text, ARGV[3], 1, true) or string.find(text, ARGV[4], 1, true)) then untried = untried + 1 end
  end
  untried = math.floor(untried / #claims * redis.call('ZCOUNT', KEYS[2], '-inf', '(0') + 0.5)
end
local answer = { first + untried, timed - untried, tonumber(redis.call('HGET', KEYS[3], ARGV[2]) or 0) }
local lapsed = redis.call('ZREVRANGEBYSCORE', KEYS[2], '(0', text(-now), 'WITHSCORES', 'LIMIT', 0, 1)[2]
answer[#answer + 1] = lapsed and text(-lapsed)
answer[#answer + 1] = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
answer[#answer + 1] = redis.call('ZRANGEBYSCORE', KEYS[2], 0, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
return answer
`);

/** Counts what a store in Redis holds. Redis knows the size of each set; a hash has all other counts. */
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
    const { name, first, timed, behind, bytes } = this.#keys.line(url);
    const written = JSON.stringify(url);
    const args = [name, bytes, `[${written},"r",`, `${written}:{"phase":"retrying"`, MOST_DELIVERIES];
    // The script returns this shape.
    const answer = await this.#link.run(BACKLOG, [first, timed, counts, events, this.#messages.due, behind], args);
    const [untried = 0, retry = 0, waiting = 0, ...dues] = (answer as (number | string)[]).map(Number);
    const oldestDue = dues.length === 0 ? undefined : Math.min(...dues);
    return { url, first: untried, retry, bytes: waiting, oldestDue };
  }

  async backlog(): Promise<Backlog[]> {
    const urls = Object.values(await this.#link.ask((redis) => redis.hgetall(this.#keys.urls)));
    const counts = await Promise.all(urls.map((url) => this.of(url)));
    return counts.map(({ oldestDue: _, ...backlog }) => backlog).filter(({ first, retry }) => first + retry > 0);
  }

  async deadTotals(): Promise<DeadTotals> {
    const { dead, counts, urls } = this.#keys;
    const [events, counted, known] = await this.#link.askAll((batch) =>
      batch.zcard(dead).hgetall(counts).hgetall(urls),
    );
    const tally = new Tally();
    // HGETALL returns strings by strings.
    tally.addAll(readCounts(counted as Record<string, string>, known as Record<string, string>));
    return { ...tally.deadTotals(), events: Number(events) };
  }

  /** Returns the change of each count. The numbers of waiting deliveries are left out, because Redis knows the size of each line. */
  changes(before: StoredEvent | undefined, after: StoredEvent | undefined): [field: string, change: number][] {
    const tally = new Tally();
    if (before !== undefined) tally.add(before, -1);
    if (after !== undefined) tally.add(after, 1);
    return [...tally.entries()].flatMap<[field: string, change: number]>(([url, what, change]) =>
      what === 'first' || what === 'retry' ? [] : [[countOf(url && this.#keys.digest(url), what), change]],
    );
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
