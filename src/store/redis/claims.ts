import { MESSAGE, NOW } from './lua.js';
import type { Messages } from './messages.js';
import { type RedisClient, Script, type ScriptArgument } from './redis-client.js';
import type { RedisKeys } from './redis-keys.js';
import { MOST_DELIVERIES } from './script-bounds.js';
import { TurnBatch } from './turn-batch.js';

/** What an endpoint asks for. */
export interface ClaimRequest {
  readonly keys: RedisKeys;
  readonly url: string;
  readonly windowMs: number;
  /** How many at most, up to `MOST_DELIVERIES`. Asked once, as the request goes out: there may be room for more by then. */
  count(): number;
}

/** A delivery that belongs to this process as long as its lease runs. */
export interface Claimed {
  readonly id: string;
  /** The score that it had in the line, where it was never tried. */
  readonly place: string | undefined;
  /** The event as it was read; undefined where it is implied. */
  readonly text: string | undefined;
  /** The message's record; undefined where the event is gone. */
  readonly record: Buffer | undefined;
  /** The score that it has now: when the lease ends, by the clock of Redis, below 0. */
  readonly until: string;
}

/** An endpoint costs a script about as much as so many deliveries, though it may get none. */
const LEAST_EACH = 5;

/**
 * Takes what comes next in lines of endpoints, for as long as the lease runs: what was never tried, then what has come up, which are
 * retries that are due and claims whose leases are over. What is due later than any retry can be, or claimed for longer than a lease lasts, has
 * come up as well: the clock was set back since.
 *
 * KEYS: messages, due; first, timed and events of each endpoint. ARGV: the lease in ms; for each endpoint how many, the name of the line, and
 * the window in ms. Gives the score of the claims, and for each endpoint nothing, or how many were never tried and their scores, the ids of
 * all, their texts, where there are any, and their records.
 *
 * What only removes comes first, so that first attempts are made also where memory is used up.
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

/** Claims deliveries: what all endpoints of a storage ask for in one turn goes to Redis in as few scripts as may be. */
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
      // As the script gives them.
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
