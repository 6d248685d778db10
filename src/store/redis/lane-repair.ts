import { COMES_UP, LANES, SHARED, WRONG_TYPE } from './lua.js';
import type { Messages } from './messages.js';
import { type RedisClient, Script } from './redis-client.js';
import type { LineKeys } from './redis-keys.js';
import { laneOf, ScriptCall } from './script-call.js';

/** The most lanes that one script checks. */
const MOST_LANES = 50;

/** The arguments of `REPAIR`. Keys are given as the numbers that `ScriptCall` returned for them. */
interface RepairCall {
  readonly name: string;
  readonly timed: number;
  readonly lane: ReturnType<typeof laneOf>;
  /** The last user that was checked; empty to start with the first. */
  readonly after: string;
  readonly most: number;
  /** Deliveries whose events cannot be read. */
  readonly unreadable: readonly string[];
}

/**
 * Checks that each user's deliveries wait behind one that is in the line. If that one is missing, not claimed or unreadable, it
 * would never end, so the next one enters the line.
 *
 * Returns the last user that was checked, or an empty text after the last lane.
 */
const REPAIR = new Script(`
${SHARED}
${WRONG_TYPE}
${COMES_UP}
${LANES}
local wrong = wrongType('ZCARD', { call.timed }) or wrongLane(call.lane)
if wrong then return redis.error_reply(wrong) end
local line, unreadable, user = laneKeys(call.lane), {}, call.after
for _, id in ipairs(call.unreadable) do unreadable[id] = true end
for _ = 1, call.most do
  local from = user == '' and '-' or '(' .. user .. ':'
  local member = redis.call('ZRANGEBYLEX', line.lanes, from, '+', 'LIMIT', 0, 1)[1]
  if not member then return '' end
  user = userIn(member)
  local head = redis.call('HGET', line.heads, user)
  local waits = head and (redis.call('ZSCORE', KEYS[call.timed], head) or redis.call('ZSCORE', line.first, head))
  if not waits or unreadable[head] then
    nextInLane(line, user)
    comesUp(due, call.name, 0)
  end
end
return user
`);

/** Repairs the lanes of one line, some in each call. Only damage makes this necessary: ending a head moves its lane on. */
export class LaneRepair {
  readonly #link: RedisClient;
  readonly #messages: Messages;
  readonly #line: LineKeys;
  #after = '';

  constructor(link: RedisClient, messages: Messages, line: LineKeys) {
    this.#link = link;
    this.#messages = messages;
    this.#line = line;
  }

  async run(unreadable: readonly string[]): Promise<void> {
    const { name, timed } = this.#line;
    const script = new ScriptCall(this.#messages.keys);
    const call: RepairCall = {
      name,
      timed: script.key(timed),
      lane: laneOf(this.#line, script),
      after: this.#after,
      most: MOST_LANES,
      unreadable,
    };
    this.#after = String(await script.run(this.#link, REPAIR, call));
  }
}
