import type { StoredEvent } from '../../delivery/completion-rule.js';
import type { QueueKey, QueuePosition, Stage } from '../event-store.js';
import { compareQueueKeys, waitingEntries } from '../queue-key.js';
import { ifReadable } from '../store-errors.js';
import { CALL, CHUNK_SPAN, CHUNKS } from './lua.js';
import { type RedisClient, Script } from './redis-client.js';
import type { RedisEvents } from './redis-events.js';
import type { RedisKeys } from './redis-keys.js';
import { ScriptCall } from './script-call.js';

/** Sorts after a line's claims, whose scores are below 0, and before its deliveries. */
const START: QueueKey = { at: -1, id: '' };

/** The most claims that one command lists. */
const PAGE = 500;

/** The most members of a set that one command lists, because each may be a chunk. */
const MEMBERS = 100;

/**
 * Lists `most` entries of a sorted set, from the first one after a score (`at`) and an `id`. An entry with these need not exist. If
 * the set `hasChunks`, each delivery of a chunk is an entry.
 *
 * Returns ids and scores alternately. With chunks these may be more than `most`, and in another order.
 *
 * Members with the same score are ordered by their bytes, and there may be very many, so a binary search finds the position.
 * Lua's own string comparison depends on the locale and does not match that order.
 */
const LIST_AFTER = new Script(`
${CALL}
${CHUNKS}
local set, at = KEYS[1], exactly(call.at)
local function follows(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = string.byte(a, i), string.byte(b, i)
    if x ~= y then return x > y end
  end
  return #a > #b
end
local low = redis.call('ZCOUNT', set, '-inf', '(' .. at)
local high = low + redis.call('ZCOUNT', set, at, at)
while low < high do
  local middle = math.floor((low + high) / 2)
  if follows(redis.call('ZRANGE', set, middle, middle)[1], call.id) then high = middle else low = middle + 1 end
end
-- The last place that was listed, in a set with chunks.
local listed, last = {}, -math.huge
local function list(member, score)
  local ids = idsIn(member)
  for number, id in ipairs(ids) do
    local place = placeOf(score, number)
    if tonumber(place) > call.at or tonumber(place) == call.at and follows(id, call.id) then
      listed[#listed + 1] = id
      listed[#listed + 1] = place
    end
  end
  if call.hasChunks then last = math.max(last, tonumber(placeOf(score, #ids))) end
end
-- A chunk with a lower score may have deliveries that follow.
local before = redis.call('ZRANGEBYSCORE', set, exactly(call.at - ${CHUNK_SPAN}), '(' .. at, 'WITHSCORES')
for j = 1, #before, 2 do
  if string.byte(before[j]) == 255 then list(before[j], tonumber(before[j + 1])) end
end
repeat
  local page = redis.call('ZRANGE', set, low, low + ${MEMBERS - 1}, 'WITHSCORES')
  for j = 1, #page, 2 do
    local score = tonumber(page[j + 1])
    -- What has no greater score than a delivery of a chunk is listed too, because its place among them is not known here.
    if #listed >= 2 * call.most and score > last then return listed end
    list(page[j], score)
  end
  low = low + ${MEMBERS}
until #page < ${2 * MEMBERS}
return listed
`);

/** Lists one store's waiting deliveries and dead letters from its sorted sets. */
export class RedisIndex {
  readonly #link: RedisClient;
  readonly #keys: RedisKeys;
  readonly #events: RedisEvents;

  constructor(link: RedisClient, keys: RedisKeys, events: RedisEvents) {
    this.#link = link;
    this.#keys = keys;
    this.#events = events;
  }

  async waiting(url: string, position: QueuePosition, after: QueueKey | undefined, limit: number): Promise<QueueKey[]> {
    const { behind } = this.#keys.line(url);
    // A delivery that waits behind another is never claimed, so this set is complete.
    return position === 'behind' ? this.#list(behind, after, limit) : this.#inLine(url, position, after, limit);
  }

  async isBehind(url: string, id: string): Promise<boolean> {
    const { behind } = this.#keys.line(url);
    return (await this.#link.ask((redis) => redis.zscore(behind, id))) !== null;
  }

  async #inLine(url: string, stage: Stage, after: QueueKey | undefined, limit: number): Promise<QueueKey[]> {
    const { first, timed } = this.#keys.line(url);
    const listed = await (stage === 'first' ? this.#list(first, after, limit, true) : this.#list(timed, after, limit));
    const claimed = await this.#claimed(url, stage);
    // A delivery that was claimed between the two calls is in both lists, so duplicates are removed.
    const keys = new Map([...listed, ...claimed].map((key) => [key.id, key]));
    const later = [...keys.values()].filter((key) => after === undefined || compareQueueKeys(key, after) > 0);
    return later.sort(compareQueueKeys).slice(0, limit);
  }

  dead(after: QueueKey | undefined, limit: number): Promise<QueueKey[]> {
    return this.#list(this.#keys.dead, after, limit);
  }

  /** Lists the claimed deliveries of a stage by their events' times, because the score of a claim is the end of its lease. */
  async #claimed(url: string, stage: Stage): Promise<QueueKey[]> {
    const { timed } = this.#keys.line(url);
    const ids: string[] = [];
    for (let isMore = true; isMore; ) {
      const page = await this.#link.ask((redis) => redis.zrangebyscore(timed, '-inf', '(0', 'LIMIT', ids.length, PAGE));
      ids.push(...page);
      isMore = page.length === PAGE;
    }
    // Unreadable events are left out. The process that claims one reports it.
    const reads = await Promise.all(ids.map((id) => ifReadable(this.#events.read(this.#keys, id))));
    return reads.flatMap((read) => {
      const entry = read && entryAt(url, read.read.event);
      return entry?.stage === stage ? [{ at: entry.at, id: entry.id }] : [];
    });
  }

  async #list(key: string, after: QueueKey = START, limit: number, hasChunks = false): Promise<QueueKey[]> {
    const { at, id } = after;
    // ZRANGE returns strings.
    const call = { at, id, most: limit, hasChunks };
    const flat = (await new ScriptCall([key]).run(this.#link, LIST_AFTER, call)) as string[];
    return flat.flatMap((each, index) => (index % 2 === 0 ? { id: each, at: Number(flat[index + 1]) } : []));
  }
}

/** The event's entry in the line of the URL. */
export const entryAt = (url: string, event: StoredEvent) => waitingEntries(event).find((entry) => entry.url === url);
