import type { StoredEvent } from '../../delivery/completion-rule.js';
import type { Backlog } from '../event-store.js';
import { LETTERS, OF_EVENTS, type UrlCount, UrlTally } from '../kept-tally.js';
import { CHUNKED, COMES_UP, LANES, NOW, SHARED, WRONG_TYPE } from './lua.js';
import type { Partition } from './partition.js';
import { Script } from './redis-client.js';
import { countOf, type RedisKeys } from './redis-keys.js';
import { readUrls } from './redis-urls.js';
import { laneOf, ScriptCall } from './script-call.js';

/** The counts of the deliveries that wait for one URL, and since when they wait. */
export interface UrlBacklog extends Backlog {
  /** The last user whose lane was checked; empty after the last lane. */
  readonly checked: string;
  /** Why lanes could not be checked, if they could not. */
  readonly wrong?: string;
  /** The earliest due time of a delivery in the line that no process has claimed. */
  readonly oldestDue: number | undefined;
}

/** The most lanes that one count checks. */
const MOST_LANES = 50;

/** Tells a count where to begin with the lanes of a line, and which deliveries cannot be read. */
export interface LaneCheck {
  /** The last user whose lane was checked; empty to start with the first. */
  readonly after: string;
  /** Deliveries whose events cannot be read. */
  readonly unreadable: readonly string[];
}

/** The answer of `BACKLOG`, as JSON. */
interface BacklogAnswer {
  /** First attempts, including those that wait behind others. */
  readonly first: number;
  readonly retry: number;
  readonly bytes: number;
  readonly checked: string;
  readonly wrong?: string;
  /** The end of the last expired lease, the first untried delivery's score, and the first retry's due time, if any. */
  readonly lapsed?: number;
  readonly untried?: string;
  readonly due?: string;
}

/**
 * Counts one URL's deliveries, and repairs what other scripts rely on. A line without deliveries is removed from the set of lines to
 * check, and a line with deliveries that is missing there is added.
 *
 * Each user's deliveries wait behind one that is in the line. If that one is missing, not claimed or unreadable, it would never end,
 * so the next one enters the line. Only damage makes this necessary, because ending that delivery moves its lane on.
 */
const BACKLOG = new Script(`
${SHARED}
${NOW}
${WRONG_TYPE}
${COMES_UP}
${LANES}
local firstSet, timedSet = KEYS[call.first], KEYS[call.timed]
local behind, timed = redis.call('ZCARD', KEYS[call.behind]), redis.call('ZCARD', timedSet)
local members = redis.call('ZCARD', firstSet)
-- A damaged count must not hide what waits.
local chunked = math.max(0, tonumber(redis.call('HGET', KEYS[call.counts], call.digest .. ${CHUNKED}) or 0) or 0)
local first = members > 0 and members + chunked + behind or behind
local unreadable, user = {}, call.after or ''
for _, id in ipairs(call.unreadable or {}) do unreadable[id] = true end
-- Returns false after the last lane.
local function checkLane(line)
  local from = user == '' and '-' or '(' .. user .. ':'
  local member = redis.call('ZRANGEBYLEX', line.lanes, from, '+', 'LIMIT', 0, 1)[1]
  user = member and userIn(member) or ''
  if not member then return false end
  local head = redis.call('HGET', line.heads, user)
  local waits = head and (redis.call('ZSCORE', timedSet, head) or redis.call('ZSCORE', firstSet, head))
  if not waits or unreadable[head] then
    nextInLane(line, user)
    comesUp(due, call.name, 0)
  end
  return true
end
if first + timed == 0 then
  redis.call('ZREM', due, call.name)
  -- Where nothing waits there are no bytes, whatever a damaged count says.
  redis.call('HDEL', KEYS[call.counts], call.bytes, call.digest .. ${CHUNKED})
  return cjson.encode({ first = 0, retry = 0, bytes = 0, checked = '' })
end
redis.call('ZADD', due, 'NX', 0, call.name)
-- Lanes that cannot be checked prevent no count, because a destination is opened with its counts.
local wrong = behind > 0 and call.mostLanes > 0 and wrongLane(call.lane) or nil
if behind > 0 and not wrong then
  for _ = 1, call.mostLanes do
    if not checkLane(laneKeys(call.lane)) then break end
  end
end
local claims, untried = redis.call('ZRANGEBYSCORE', timedSet, '-inf', '(0', 'LIMIT', 0, call.mostClaims), 0
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
  checked = user,
  wrong = wrong,
  bytes = tonumber(redis.call('HGET', KEYS[call.counts], call.bytes) or 0) or 0,
  lapsed = lapsed and -lapsed,
  untried = redis.call('ZRANGE', firstSet, 0, 0, 'WITHSCORES')[2],
  due = redis.call('ZRANGEBYSCORE', timedSet, 0, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
})
`);

/** Counts that follow from the sizes of sorted sets. */
const OF_SETS: readonly string[] = ['first', 'retry', LETTERS];

/** Counts what a store in Redis holds. The sizes of sets and a hash have the counts. */
export class RedisCounts {
  readonly #partition: Partition;
  readonly #keys: RedisKeys;

  constructor(partition: Partition, keys: RedisKeys) {
    this.#partition = partition;
    this.#keys = keys;
  }

  async of(url: string, lanes?: LaneCheck): Promise<UrlBacklog> {
    const line = this.#keys.line(url);
    const script = new ScriptCall(this.#partition.keys);
    const call = {
      name: line.name,
      first: script.key(line.first),
      timed: script.key(line.timed),
      behind: script.key(line.behind),
      lane: laneOf(line, script),
      events: script.key(this.#keys.events),
      counts: script.key(this.#keys.counts),
      /** The field of the line's byte count. */
      bytes: line.bytes,
      digest: line.digest,
      /** A text that occurs in the record of an event if it waits for a retry at this URL. */
      retrying: `[${JSON.stringify(url)},"r",`,
      /** The most claims whose records are read. The others are assumed to have the same proportion of retries. */
      mostClaims: 125,
      mostLanes: lanes === undefined ? 0 : MOST_LANES,
      ...lanes,
    };
    const answer = String(await script.run(this.#partition.link, BACKLOG, call));
    // The script returns this shape.
    const { lapsed, untried, due, ...counted } = JSON.parse(answer) as BacklogAnswer;
    const dues = [lapsed, untried, due].flatMap((time) => (time === undefined ? [] : Number(time)));
    return { url, ...counted, oldestDue: dues.length === 0 ? undefined : Math.min(...dues) };
  }

  /** Returns the counts of what waits at each URL. */
  async backlog(): Promise<readonly UrlCount[]> {
    await readUrls(this.#partition.link, this.#keys);
    const counts = await Promise.all(this.#keys.lines.map(({ url }) => this.of(url)));
    return counts.flatMap(({ url, first, retry, bytes }): UrlCount[] => [
      [url, 'first', first],
      [url, 'retry', retry],
      [url, 'bytes', bytes],
    ]);
  }

  /** Returns the counts of dead letters and the counts in the hash. */
  async dead(): Promise<readonly UrlCount[]> {
    const { dead, counts } = this.#keys;
    await readUrls(this.#partition.link, this.#keys);
    const [letters, counted] = await this.#partition.link.askAll((batch) => batch.zcard(dead).hgetall(counts));
    // HGETALL returns strings with string keys.
    return [[OF_EVENTS, LETTERS, Number(letters)], ...readCounts(counted as Record<string, string>, this.#keys)];
  }

  /**
   * Returns the change of each count in the hash. Waiting deliveries and dead letters are not included, because they follow
   * from the sizes of sets.
   */
  changes(before: StoredEvent | undefined, after: StoredEvent | undefined): [field: string, change: number][] {
    const tally = new UrlTally();
    if (before !== undefined) tally.add(before, -1);
    if (after !== undefined) tally.add(after, 1);
    return tally
      .entries()
      .flatMap<[field: string, change: number]>(([url, what, change]) =>
        OF_SETS.includes(what) ? [] : [[countOf(url && this.#keys.line(url).digest, what), change]],
      );
  }
}

function* readCounts(counts: Readonly<Record<string, string>>, keys: RedisKeys): Generator<UrlCount, void, undefined> {
  const urls = new Map(keys.lines.map(({ digest, url }) => [digest, url]));
  for (const [field, count] of Object.entries(counts)) {
    const [digest = '', what] = field.split('/');
    const url = digest === '' ? '' : urls.get(digest);
    if (what !== undefined && url !== undefined) yield [url, what, Number(count)];
  }
}
