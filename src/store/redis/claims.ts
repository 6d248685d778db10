import { MESSAGE, NOW } from './lua.js';
import type { Messages } from './messages.js';
import { type RedisClient, Script, type ScriptArgument } from './redis-client.js';
import type { RedisKeys } from './redis-keys.js';
import { MOST_DELIVERIES } from './script-bounds.js';
import { TurnBatch } from './turn-batch.js';

/** One endpoint's request for deliveries. */
export interface ClaimRequest {
  readonly keys: RedisKeys;
  readonly url: string;
  readonly windowMs: number;
  /**
   * Returns the most deliveries to claim, up to `MOST_DELIVERIES`. It is called once, as the request goes out, because
   * room may have become free by then.
   */
  count(): number;
}

/** A delivery that this process alone may attempt until its lease ends. */
export interface Claimed {
  readonly id: string;
  /** Its score in the line before the claim; undefined for a retry. */
  readonly place: string | undefined;
  /** The event's own record; undefined if it has none. */
  readonly text: string | undefined;
  /** The message's record; undefined if the event is gone. */
  readonly record: Buffer | undefined;
  /** Its score now: the end of the lease by the clock of Redis, in ms, negated. */
  readonly until: string;
}

/** The least weight of an endpoint. Even one that gets nothing costs the script as much as this many deliveries. */
const LEAST_EACH = 5;

/**
 * Claims the next deliveries of each endpoint for the length of a lease: untried ones first, then due retries and
 * claims whose leases have ended. If the clock was set back, some times lie further ahead than any retry or lease can;
 * those deliveries are claimed too.
 *
 * KEYS:
 * - messages, due
 * - for each endpoint: first, timed, events
 *
 * ARGV:
 * - the lease in ms
 * - for each endpoint: the most deliveries to claim, the name of its line, the retry window in ms
 *
 * Returns the score of the new claims, then an empty list for each endpoint without deliveries, or four lists: the
 * scores that untried deliveries had, the ids of all, their events' own records, their messages' records.
 *
 * The script removes before it adds: when memory is used up, Redis rejects a script whose first write needs more, but
 * not one that has already written. So first attempts go on.
 */
const CLAIM = new Script(`
${NOW}
${MESSAGE}
local lease = '-' .. text(now + ARGV[1])
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
local answer = { lease }
for i = 2, #ARGV, 3 do
  local k = i + 1
  local first, timed, events, most = KEYS[k], KEYS[k + 1], KEYS[k + 2], tonumber(ARGV[i])
  local popped = most > 0 and redis.call('ZPOPMIN', first, most) or {}
  local ids, places, leases = {}, {}, {}
  for j = 1, #popped, 2 do
    ids[#ids + 1] = popped[j]
    places[#places + 1] = popped[j + 1]
  end
  upTo(timed, ids, most, text(-now), text(now))
  upTo(timed, ids, most, '(' .. text(now + ARGV[i + 2]), '+inf')
  upTo(timed, ids, most, '-inf', '(' .. lease)
  if #ids == 0 then
    answer[#answer + 1] = {}
  else
    for _, id in ipairs(ids) do
      leases[#leases + 1] = lease
      leases[#leases + 1] = id
    end
    redis.call('ZADD', timed, unpack(leases))
    local texts = redis.call('EXISTS', events) == 1 and redis.call('HMGET', events, unpack(ids)) or {}
    local refs = {}
    for j, id in ipairs(ids) do refs[j] = refOf(texts[j], id) end
    answer[#answer + 1] = { places, ids, texts, redis.call('HMGET', KEYS[1], unpack(refs)) }
  end
  local next = nextIn(first, timed)
  if next then redis.call('ZADD', KEYS[2], next, ARGV[i + 1]) else redis.call('ZREM', KEYS[2], ARGV[i + 1]) end
end
return answer
`);

type Answered = readonly [Buffer[], Buffer[], (Buffer | null)[], (Buffer | null)[]] | readonly [];

interface Counted {
  readonly request: ClaimRequest;
  most: number;
}

/** Claims deliveries. What all endpoints of a storage ask for in one turn of the event loop goes to Redis in as few scripts as possible. */
export class Claims {
  readonly #turn: TurnBatch<Counted, readonly Claimed[]>;

  constructor(link: RedisClient, messages: Messages, leaseMs: number) {
    const weightOf = (counted: Counted): number => {
      counted.most = counted.request.count();
      return Math.max(LEAST_EACH, counted.most);
    };
    this.#turn = new TurnBatch({ most: MOST_DELIVERIES, weightOf, isInTurn: true }, async (requests) => {
      const keys = [messages.records, messages.due];
      const args: ScriptArgument[] = [leaseMs];
      for (const { request, most } of requests) {
        const { keys: own, url, windowMs } = request;
        const { name, first, timed } = own.line(url);
        keys.push(first, timed, own.events);
        args.push(most, name, windowMs);
      }
      // The script returns this shape.
      const answer = (await link.runForBytes(CLAIM, keys, args)) as [Buffer, ...Answered[]];
      const [until, ...claimed] = answer;
      return claimed.map((each) => claimedIn(each, until.toString()));
    });
  }

  ask(request: ClaimRequest): Promise<readonly Claimed[]> {
    return this.#turn.ask({ request, most: 0 });
  }
}

const claimedIn = ([places = [], ids = [], texts = [], records = []]: Answered, until: string): Claimed[] =>
  ids.map((id, index) => ({
    id: id.toString(),
    place: places[index]?.toString(),
    text: texts[index]?.toString(),
    record: records[index] ?? undefined,
    until,
  }));
