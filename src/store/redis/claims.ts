import { BYTES, NOW } from './lua.js';
import type { Messages } from './messages.js';
import { type RedisClient, Script, type ScriptArgument } from './redis-client.js';
import type { RedisKeys } from './redis-keys.js';
import { TurnBatch } from './turn-batch.js';

/** What an endpoint asks for. */
export interface ClaimRequest {
  readonly keys: RedisKeys;
  readonly url: string;
  /** How many at most. Asked as the request goes out: there may be room for more by then. */
  count(): number;
}

/** A first attempt that belongs to this process as long as its lease runs. */
export interface Claimed {
  readonly id: string;
  readonly at: number;
  /** The event as it was read; undefined where it is implied. */
  readonly text: string | undefined;
  /** The message's record, or, where the text names none, the body; undefined where the event is gone. */
  readonly record: Buffer | undefined;
  /** When the lease ends, by the clock of Redis. */
  readonly until: string;
}

/** How many endpoints are served by one script: Redis does nothing else meanwhile. */
const MOST = 50;

/**
 * Takes the first of what waits, for as long as the lease runs. What is claimed is not counted.
 *
 * KEYS: messages; first, claimed, events, bodies, counts, of each endpoint. ARGV: the lease in ms; for each endpoint how many, and the field
 * of its bytes. Gives when the lease ends, and for each endpoint nothing, or ids and scores by turns, the texts, where there are any, the records or bodies.
 *
 * What only removes comes first, so that first attempts are made also where memory is used up.
 */
const CLAIM = new Script(`
${NOW}
${BYTES}
local deadline = text(now + ARGV[1])
local answer = { deadline }
for i = 2, #ARGV, 2 do
  local k = 5 * i / 2 - 3
  local popped = redis.call('ZPOPMIN', KEYS[k], ARGV[i])
  if #popped == 0 then
    answer[#answer + 1] = {}
  else
    local ids, leases = {}, {}
    for j = 1, #popped, 2 do
      ids[#ids + 1] = popped[j]
      leases[#leases + 1] = deadline
      leases[#leases + 1] = popped[j]
    end
    redis.call('ZADD', KEYS[k + 1], unpack(leases))
    local texts = redis.call('EXISTS', KEYS[k + 2]) == 1 and redis.call('HMGET', KEYS[k + 2], unpack(ids)) or {}
    local refs, isOld, bytes = {}, false, 0
    for j, id in ipairs(ids) do
      refs[j] = refOf(texts[j], id) or ''
      isOld = isOld or refs[j] == ''
    end
    local records = redis.call('HMGET', KEYS[1], unpack(refs))
    for j in ipairs(ids) do bytes = bytes + bytesOf(texts[j], records[j]) end
    if isOld then
      local bodies = redis.call('HMGET', KEYS[k + 3], unpack(ids))
      for j, ref in ipairs(refs) do if ref == '' then records[j] = bodies[j] end end
    end
    if bytes > 0 then redis.call('HINCRBY', KEYS[k + 4], ARGV[i + 1], -bytes) end
    answer[#answer + 1] = { popped, texts, records }
  end
end
return answer
`);

/** Claims first attempts: what all endpoints of a storage ask for in one turn goes to Redis as one script. */
export class Claims {
  readonly #turn: TurnBatch<ClaimRequest, readonly Claimed[]>;

  constructor(link: RedisClient, messages: Messages, leaseMs: number) {
    this.#turn = new TurnBatch({ most: MOST }, async (requests) => {
      const keys = [messages.records];
      const args: ScriptArgument[] = [leaseMs];
      for (const { keys: own, url, count } of requests) {
        keys.push(own.waiting(url, 'first'), own.claimed(url), own.events, own.bodies, own.counts);
        args.push(count(), own.bytes(url));
      }
      const answer = await link.runForBytes(CLAIM, keys, args);
      // As the script gives them.
      const [until, ...claimed] = answer as [Buffer, ...(readonly [Buffer[], (Buffer | null)[], (Buffer | null)[]])[]];
      return claimed.map((each) => claimedIn(each, until.toString()));
    });
  }

  ask(request: ClaimRequest): Promise<readonly Claimed[]> {
    return this.#turn.ask(request);
  }
}

function claimedIn(
  [popped = [], texts = [], records = []]: readonly [Buffer[]?, (Buffer | null)[]?, (Buffer | null)[]?],
  until: string,
): Claimed[] {
  return records.map((record, index) => ({
    id: String(popped[2 * index]),
    at: Number(popped[2 * index + 1]),
    text: texts[index]?.toString(),
    record: record ?? undefined,
    until,
  }));
}
