import type { StoredEvent } from '../../delivery/completion-rule.js';
import type { Backlog } from '../event-store.js';
import { LETTERS, OF_EVENTS, type UrlCount, UrlTally } from '../kept-tally.js';
import { NOW, SHARED } from './lua.js';
import type { Messages } from './messages.js';
import { type RedisClient, Script } from './redis-client.js';
import { countOf, type RedisKeys } from './redis-keys.js';
import { readUrls } from './redis-urls.js';
import { MOST_DELIVERIES } from './script-bounds.js';
import { ScriptCall } from './script-call.js';

/** The counts of the deliveries that wait for one URL, and since when they wait. */
export interface UrlBacklog extends Backlog {
  /** The earliest due time of a delivery in the line that no process has claimed. */
  readonly oldestDue: number | undefined;
  /** The number of deliveries that wait behind another one of their user. */
  readonly behind: number;
}

/** The arguments of `BACKLOG`. Keys are given as the numbers that `ScriptCall` returned for them. */
interface BacklogCall {
  readonly name: string;
  readonly first: number;
  readonly timed: number;
  readonly behind: number;
  readonly events: number;
  readonly counts: number;
  /** The field of the line's byte count. */
  readonly bytes: string;
  /** A text that occurs in the record of an event if it waits for a retry at this URL. */
  readonly retrying: string;
  /** The most claims whose records are read. The others are assumed to have the same proportion of retries. */
  readonly most: number;
}

/** The answer of `BACKLOG`, as JSON. */
interface BacklogAnswer {
  /** First attempts, including those that wait behind others. */
  readonly first: number;
  readonly retry: number;
  readonly behind: number;
  readonly bytes: number;
  /** The end of the last expired lease, the first untried delivery's score, and the first retry's due time, if any. */
  readonly lapsed?: number;
  readonly untried?: string;
  readonly due?: string;
}

/**
 * Counts one URL's deliveries. A line without deliveries is removed from the set of lines to check, and a line with deliveries
 * that is missing there is added.
 */
const BACKLOG = new Script(`
${SHARED}
${NOW}
local firstSet, timedSet = KEYS[call.first], KEYS[call.timed]
local behind, timed = redis.call('ZCARD', KEYS[call.behind]), redis.call('ZCARD', timedSet)
local first = redis.call('ZCARD', firstSet) + behind
if first + timed == 0 then
  redis.call('ZREM', due, call.name)
  -- Where nothing waits there are no bytes, whatever a damaged count says.
  redis.call('HDEL', KEYS[call.counts], call.bytes)
  return cjson.encode({ first = 0, retry = 0, behind = 0, bytes = 0 })
end
redis.call('ZADD', due, 'NX', 0, call.name)
local claims, untried = redis.call('ZRANGEBYSCORE', timedSet, '-inf', '(0', 'LIMIT', 0, call.most), 0
if #claims > 0 then
  for _, text in ipairs(redis.call('HMGET', KEYS[call.events], unpack(claims))) do
    if not text or not string.find(text, call.retrying, 1, true) then untried = untried + 1 end
  end
  untried = math.floor(untried / #claims * redis.call('ZCOUNT', timedSet, '-inf', '(0') + 0.5)
end
local lapsed = redis.call('ZREVRANGEBYSCORE', timedSet, '(0', text(-now), 'WITHSCORES', 'LIMIT', 0, 1)[2]
return cjson.encode({
  first = first + untried,
  retry = timed - untried,
  behind = behind,
  bytes = tonumber(redis.call('HGET', KEYS[call.counts], call.bytes) or 0) or 0,
  lapsed = lapsed and -lapsed,
  untried = redis.call('ZRANGE', firstSet, 0, 0, 'WITHSCORES')[2],
  due = redis.call('ZRANGEBYSCORE', timedSet, 0, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
})
`);

/** Counts that Redis knows as the sizes of sorted sets. */
const OF_SETS: readonly string[] = ['first', 'retry', LETTERS];

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
    const { name, first, timed, behind, bytes } = this.#keys.line(url);
    const script = new ScriptCall(this.#messages.keys);
    const call: BacklogCall = {
      name,
      first: script.key(first),
      timed: script.key(timed),
      behind: script.key(behind),
      events: script.key(this.#keys.events),
      counts: script.key(this.#keys.counts),
      bytes,
      retrying: `[${JSON.stringify(url)},"r",`,
      most: MOST_DELIVERIES,
    };
    // The script returns this shape.
    const counted = JSON.parse(String(await script.run(this.#link, BACKLOG, call))) as BacklogAnswer;
    const dues = [counted.lapsed, counted.untried, counted.due].flatMap((time) =>
      time === undefined ? [] : Number(time),
    );
    const oldestDue = dues.length === 0 ? undefined : Math.min(...dues);
    const { first: untried, retry, behind: held, bytes: size } = counted;
    return { url, first: untried, retry, behind: held, bytes: size, oldestDue };
  }

  async backlog(): Promise<Backlog[]> {
    await readUrls(this.#link, this.#keys);
    const counts = await Promise.all(this.#keys.known.map((url) => this.of(url)));
    return counts
      .map(({ url, first, retry, bytes }) => ({ url, first, retry, bytes }))
      .filter(({ first, retry }) => first + retry > 0);
  }

  /** Returns the counts of dead letters and the counts in the hash. */
  async dead(): Promise<readonly UrlCount[]> {
    const { dead, counts } = this.#keys;
    await readUrls(this.#link, this.#keys);
    const [letters, counted] = await this.#link.askAll((batch) => batch.zcard(dead).hgetall(counts));
    // HGETALL returns strings with string keys.
    return [[OF_EVENTS, LETTERS, Number(letters)], ...readCounts(counted as Record<string, string>, this.#keys)];
  }

  /**
   * Returns the change of each count in the hash. Waiting deliveries and dead letters are not included, because Redis knows the
   * size of each line and set.
   */
  changes(before: StoredEvent | undefined, after: StoredEvent | undefined): [field: string, change: number][] {
    const tally = new UrlTally();
    if (before !== undefined) tally.add(before, -1);
    if (after !== undefined) tally.add(after, 1);
    return tally
      .entries()
      .flatMap<[field: string, change: number]>(([url, what, change]) =>
        OF_SETS.includes(what) ? [] : [[countOf(url && this.#keys.digest(url), what), change]],
      );
  }
}

function* readCounts(counts: Readonly<Record<string, string>>, keys: RedisKeys): Generator<UrlCount, void, undefined> {
  const urls = new Map(keys.known.map((url) => [keys.digest(url), url]));
  for (const [field, count] of Object.entries(counts)) {
    const [digest = '', what] = field.split('/');
    const url = digest === '' ? '' : urls.get(digest);
    if (what !== undefined && url !== undefined) yield [url, what, Number(count)];
  }
}
