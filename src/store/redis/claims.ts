import { RedisFailedError } from '../store-errors.js';
import { CHUNKED, CHUNKS, COUNTS, MESSAGE, NOW, SHARED, WRONG_TYPE } from './lua.js';
import type { Partition } from './partition.js';
import { Script } from './redis-client.js';
import type { RedisKeys } from './redis-keys.js';
import { BYTES_A_DELIVERY, MOST_DELIVERIES } from './script-bounds.js';
import { ScriptCall, setsOf } from './script-call.js';
import { StoredMessage } from './stored-text.js';
import { TurnBatch } from './turn-batch.js';

/** One endpoint's request for deliveries. */
export interface ClaimRequest {
  readonly keys: RedisKeys;
  readonly url: string;
  readonly windowMs: number;
  /**
   * Returns how many deliveries to claim at most, up to `MOST_TAKEN`. It is called once, just before the request is sent,
   * because room may have become free by then.
   */
  count(): number;
}

/** A delivery that this process alone may attempt until its lease ends. */
export interface Claimed {
  readonly id: string;
  /** Its score in the line of first attempts before the claim; undefined for a retry. */
  readonly place: string | undefined;
  /** The event's own record; undefined if it has none. */
  readonly text: string | undefined;
  /** The message; undefined if the event is gone. */
  readonly message: StoredMessage | undefined;
  /** Its score now: the end of the lease by the clock of Redis, in ms, negated. */
  readonly until: string;
}

/** The least weight of an endpoint. Even an endpoint without deliveries costs the script as much as this many. */
const LEAST_EACH = 5;

/** The most members of the set of first attempts that are read at a time, because each may have many ids. */
const MOST_MEMBERS = 50;

/**
 * Claims up to `most` deliveries of each endpoint for the length of a lease: those whose leases have ended first, because their
 * process has ended, then untried ones, then due retries. If the clock was set back, some times lie further ahead than any retry
 * or lease can; those deliveries are claimed too.
 *
 * Returns the score of the new claims, and a list of the messages' records. The list has each record once, even if several
 * endpoints deliver the message. Each endpoint then has an error, an empty list if it has no deliveries, or four lists: the
 * scores that its untried deliveries had, the ids of all its deliveries, their events' own records, and the places of their
 * messages in the list of records, counted from 0.
 *
 * A delivery is claimed before it leaves the set of untried ones, so that a script that fails half way leaves it in one of them. The first
 * write needs no memory: when that is used up, Redis rejects a script whose first write needs more, but not one that has already
 * written. So first attempts still start.
 */
const CLAIM = new Script(`
${SHARED}
${NOW}
${MESSAGE}
${WRONG_TYPE}
${COUNTS}
${CHUNKS}
local lease = '-' .. text(now + call.leaseMs)
local refs, numbers = {}, {}
local function numberOf(ref)
  if not numbers[ref] then
    numbers[ref] = #refs
    refs[#refs + 1] = ref
  end
  return numbers[ref]
end
local function upTo(timed, ids, most, from, to)
  if #ids >= most then return end
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', timed, from, to, 'LIMIT', 0, most - #ids)) do ids[#ids + 1] = id end
end
local function nextIn(first, timed)
  if redis.call('EXISTS', first) == 1 then return 0 end
  local retry = redis.call('ZRANGEBYSCORE', timed, 0, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
  local claim = redis.call('ZREVRANGEBYSCORE', timed, '(0', '-inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
  claim = claim and -claim
  return retry and claim and math.min(retry, claim) or retry or claim
end
-- Adds up to this many untried deliveries to the ids and places. Returns how many members contain them, what is left of the last of
-- these, and by how much the number of deliveries that exceed the members of the set falls.
local function untriedIn(first, room, ids, places)
  local members, left, fewer = 0, {}, 0
  while #ids < room do
    local most = math.min(room - #ids, ${MOST_MEMBERS})
    local page = redis.call('ZRANGE', first, members, members + most - 1, 'WITHSCORES')
    for j = 1, #page, 2 do
      if #ids == room then break end
      local inside, score, more = idsIn(page[j]), tonumber(page[j + 1]), 0
      local taken = math.min(#inside, room - #ids)
      for k = 1, taken do
        ids[#ids + 1] = inside[k]
        places[#places + 1] = placeOf(score, k)
      end
      left, more = chunksOf(inside, score, taken + 1, #inside)
      fewer = fewer + #inside - 1 - more
      members = members + 1
    end
    if #page < 2 * most then break end
  end
  return members, left, fewer
end
local function claim(line)
  local wrong = wrongType('ZCARD', { line.first, line.timed }) or wrongType('HLEN', { line.events, line.counts })
  if wrong then return redis.error_reply(wrong) end
  local first, timed, events = KEYS[line.first], KEYS[line.timed], KEYS[line.events]
  local lapsed = {}
  upTo(timed, lapsed, line.most, text(-now), '(0')
  local ids, places, leases, answer = {}, {}, {}, {}
  local members, left, fewer = untriedIn(first, line.most - #lapsed, ids, places)
  for _, id in ipairs(lapsed) do ids[#ids + 1] = id end
  upTo(timed, ids, line.most, 0, text(now))
  upTo(timed, ids, line.most, '(' .. text(now + line.windowMs), '+inf')
  upTo(timed, ids, line.most, '-inf', '(' .. lease)
  if #ids > 0 then
    for _, id in ipairs(ids) do
      leases[#leases + 1] = lease
      leases[#leases + 1] = id
    end
    redis.call('ZADD', timed, unpack(leases))
    if #left > 0 then redis.call('ZADD', first, unpack(left)) end
    if members > 0 then redis.call('ZPOPMIN', first, members) end
    if fewer > 0 then addTo(KEYS[line.counts], line.digest .. ${CHUNKED}, -fewer) end
    local texts = redis.call('HMGET', events, unpack(ids))
    local records = {}
    for j, id in ipairs(ids) do records[j] = numberOf(refOf(texts[j], id)) end
    answer = { places, ids, texts, records }
  end
  local next = nextIn(first, timed)
  if next then redis.call('ZADD', due, next, line.name) else redis.call('ZREM', due, line.name) end
  return answer
end
redis.call('ZREM', due, '')
local answer = { lease, {} }
for i, line in ipairs(call.lines) do answer[i + 2] = claim(line) end
if #refs > 0 then answer[2] = redis.call('HMGET', messages, unpack(refs)) end
return answer
`);

type ClaimAnswer = readonly [Buffer[], Buffer[], (Buffer | null)[], number[]] | readonly [] | Error;

interface CountedClaim {
  readonly request: ClaimRequest;
  most: number;
}

/** Claims deliveries. Requests of all endpoints in one turn of the event loop share as few scripts as possible. */
export class Claims {
  readonly #turn: TurnBatch<CountedClaim, readonly Claimed[]>;
  /** The mean size of the messages in the last answer, because the next ones are probably like them. */
  #bytesEach = 0;

  constructor(partition: Partition, leaseMs: number) {
    const weightOf = (counted: CountedClaim): number => {
      counted.most = counted.request.count();
      return Math.max(LEAST_EACH, counted.most * (1 + this.#bytesEach / BYTES_A_DELIVERY));
    };
    this.#turn = new TurnBatch({ most: MOST_DELIVERIES, weightOf, isInTurn: true }, async (requests) => {
      const script = new ScriptCall(partition.keys);
      const lines = requests.map(({ request: { keys, url, windowMs }, most }) => {
        const line = keys.line(url);
        const hashes = { events: script.key(keys.events), counts: script.key(keys.counts) };
        return { name: line.name, ...setsOf(line, script), ...hashes, windowMs, most };
      });
      // The script returns this shape.
      const answer = (await script.run(partition.link, CLAIM, { leaseMs, lines }, { inBytes: true })) as [
        Buffer,
        (Buffer | null)[],
        ...ClaimAnswer[],
      ];
      const [end, records, ...claimed] = answer;
      const bytes = records.reduce((sum, record) => sum + (record?.length ?? 0), 0);
      if (records.length > 0) this.#bytesEach = bytes / records.length;
      const messages = records.map((record) => (record === null ? undefined : new StoredMessage(record)));
      const until = end.toString();
      return claimed.map((each) =>
        each instanceof Error ? new RedisFailedError(each) : claimedIn(each, messages, until),
      );
    });
  }

  ask(request: ClaimRequest): Promise<readonly Claimed[]> {
    return this.#turn.ask({ request, most: 0 });
  }
}

const claimedIn = (
  [places = [], ids = [], texts = [], numbers = []]: Exclude<ClaimAnswer, Error>,
  messages: readonly (StoredMessage | undefined)[],
  until: string,
): Claimed[] =>
  ids.map((id, index) => ({
    id: id.toString(),
    place: places[index]?.toString(),
    text: texts[index]?.toString(),
    message: messages[numbers[index] as number],
    until,
  }));
