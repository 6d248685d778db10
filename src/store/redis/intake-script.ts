import { COMES_UP, IN_LINE, LANES, MESSAGE, NOW, PLACES, SHARED, WRONG_TYPE } from './lua.js';
import { Script } from './redis-client.js';

/** The arguments of `TAKE_IN`. A number in place of a key or a record is from `ScriptCall`. */
export interface TakeInCall {
  /** How long a delivery that is claimed at once stays claimed, in ms. */
  readonly leaseMs: number;
  /** How long a message's id is remembered, in ms. */
  readonly keepMs: number;
  /** URLs that Redis is to know by their digests. */
  readonly urls: readonly { readonly key: number; readonly digest: string; readonly url: string }[];
  readonly groups: readonly TakeInGroup[];
}

/** Messages with the same deliveries and the same time of acceptance. */
export interface TakeInGroup {
  readonly at: number;
  /** The key of the message's record, for a group of one message; otherwise each message's own id. */
  readonly ref?: string | undefined;
  /** The ids of the events. */
  readonly ids: readonly string[];
  /** The number of the first message's record; those of the others follow. */
  readonly record: number;
  /** The keys that remember the messages' ids, if they are remembered. */
  readonly seen?: readonly number[] | undefined;
  /** For each destination: the hash of its events and that of its counts. */
  readonly events: readonly number[];
  readonly counts: readonly number[];
  /** For each destination the record of each event; left out if the events need none of their own, at any of them. */
  readonly texts?: readonly (string | false)[] | undefined;
  readonly lines: TakeInLines;
  /** For each destination what only a group of one message has. */
  readonly singles?: readonly TakeInSingle[] | undefined;
}

/** The lines that the deliveries enter, in lists of the same length: Redis reads those much faster than objects. */
export interface TakeInLines {
  /** Which of the destinations has the line, counted from 1. */
  readonly of: readonly number[];
  readonly names: readonly string[];
  readonly first: readonly number[];
  readonly timed: readonly number[];
  /** The field that counts the bytes that wait there. */
  readonly bytes: readonly string[];
  /** The most deliveries to claim. */
  readonly claims: readonly number[];
}

export interface TakeInSingle {
  readonly id: string;
  /** Whether the delivery is left out if the destination has an event of its id; otherwise the message is refused. */
  readonly mayBeKnown: boolean;
  /** The key and the record of a message of its own, if that of the others is not true of the event. */
  readonly own?: { readonly ref: string; readonly record: number } | undefined;
  /** The hash of the destination's URLs, and the lines of all those that the process knows, if it has read them. */
  readonly urls: number;
  readonly known?: readonly { readonly first: number; readonly timed: number }[] | undefined;
  /** The user of an ordered event, and the keys of the user's lane in each of its lines. */
  readonly user?: string | undefined;
  readonly lanes?: readonly TakeInLane[] | undefined;
}

export interface TakeInLane {
  readonly first: number;
  readonly behind: number;
  readonly lanes: number;
  readonly heads: number;
}

/** The answer of `TAKE_IN`, as JSON. Lists that are empty are left out. */
export interface TakeInAnswer {
  /** When the new leases end, by the clock of Redis. */
  readonly leaseEnd: string;
  readonly groups: readonly {
    /**
     * What became of each message, a letter for each: `t` taken; `k` its id is known; `x` a destination has an event of its id; `n`
     * another message has its id as key, so that it needs a key of its own and the lines of all URLs. Empty if nothing was looked at.
     */
    readonly statuses: string;
    /** Why nothing was looked at: a key is of another type. */
    readonly error?: string;
    /** The score of the first message that was taken; each later one is one step further. */
    readonly place?: string;
    /** How many of the messages taken are claimed, for each line of each delivery. */
    readonly claimed?: readonly number[];
    /** For a group of one message: whether each delivery is new, and whether each line that it entered has it ready. */
    readonly isNew?: readonly boolean[];
    readonly isReady?: readonly boolean[];
  }[];
}

/**
 * Stores new messages, each with all its deliveries or not at all. At once it claims first attempts for the calling
 * process: as many as that has room for, in lines where nothing waits.
 */
export const TAKE_IN = new Script(`
${SHARED}
${NOW}
${MESSAGE}
${WRONG_TYPE}
${COMES_UP}
${PLACES}
${IN_LINE}
${LANES}
local leaseEnd = text(now + call.leaseMs)
for _, url in ipairs(call.urls) do redis.call('HSETNX', KEYS[url.key], url.digest, url.url) end

local function unlessEmpty(list) return #list > 0 and list or nil end

-- Whether the destination has the event; 'unsure' if it may wait at a URL that the process does not know.
local function isThere(events, single)
  local id, known = single.id, single.known
  if redis.call('HEXISTS', KEYS[events], id) == 1 then return true end
  if redis.call('HEXISTS', messages, id) == 0 then return false end
  if not known or redis.call('HLEN', KEYS[single.urls]) > #known then return 'unsure' end
  for _, line in ipairs(known) do
    if inLine(KEYS[line.first], KEYS[line.timed], { id })[1] then return true end
  end
  return false
end

-- Returns for each destination which events it has, by the numbers of the messages, and whether that is unsure.
local function whatIsThere(group)
  local there, isUnsure = {}, false
  for j, events in ipairs(group.events) do
    if group.singles then
      there[j] = { isThere(events, group.singles[j]) }
      isUnsure = isUnsure or there[j][1] == 'unsure'
    else
      there[j] = redis.call('HMGET', KEYS[events], unpack(group.ids))
    end
  end
  return there, isUnsure
end

-- Says what becomes of each message, remembers the ids of those to be taken, and returns their numbers.
local function choose(group, there, isUnsure)
  local ids, seen, seenNow, takenNow, statuses, taken = group.ids, {}, {}, {}, {}, {}
  if group.seen then for i, key in ipairs(group.seen) do seen[i] = KEYS[key] end end
  local known = group.seen and redis.call('MGET', unpack(seen)) or {}
  local goesSomewhere = #group.events > 0
  local named = not group.singles and goesSomewhere and redis.call('HMGET', messages, unpack(ids)) or {}
  local meets = {}
  for j, has in ipairs(there) do
    local mayBeKnown = group.singles and group.singles[j].mayBeKnown
    if not mayBeKnown then for i in ipairs(ids) do meets[i] = meets[i] or has[i] end end
  end
  for i, id in ipairs(ids) do
    if known[i] or seenNow[seen[i]] then
      statuses[i] = 'k'
    elseif isUnsure then
      statuses[i] = 'n'
    elseif meets[i] then
      statuses[i] = 'x'
    elseif named[i] or takenNow[id] then
      statuses[i] = 'n'
    else
      statuses[i] = 't'
      taken[#taken + 1] = i
      takenNow[id] = goesSomewhere
      if seen[i] then
        seenNow[seen[i]] = true
        redis.call('SET', seen[i], '1', 'PX', call.keepMs)
      end
    end
  end
  return table.concat(statuses), taken
end

-- Keeps each message for the destinations that share its record, and returns the bytes of the bodies.
local function keepMessages(group, taken, sharing)
  local records, counted, bytes = {}, {}, 0
  for k, i in ipairs(taken) do
    local ref, record = group.ref or group.ids[i], ARGV[group.record + i - 1]
    records[2 * k - 1], records[2 * k] = ref, record
    counted[2 * k - 1], counted[2 * k] = ref, sharing
    bytes = bytes + bodyBytes(record)
  end
  if sharing > 0 then redis.call('HSET', messages, unpack(records)) end
  if sharing > 1 then redis.call('HSET', references, unpack(counted)) end
  return bytes
end

-- Keeps the records of the destination's events, if they have any.
local function keepEvents(group, j, ids)
  local own, text, texts = group.singles and group.singles[j].own, group.texts and group.texts[j], {}
  if own then redis.call('HSET', messages, own.ref, ARGV[own.record]) end
  if not text then return end
  for k, id in ipairs(ids) do texts[2 * k - 1], texts[2 * k] = id, text end
  redis.call('HSET', KEYS[group.events[j]], unpack(texts))
end

-- Returns the scores and ids of these events by turns: as claimed ones, and as waiting ones.
local function scored(ids, places)
  local leases, waits, lease = {}, {}, '-' .. leaseEnd
  for k, id in ipairs(ids) do
    leases[2 * k - 1], leases[2 * k] = lease, id
    waits[2 * k - 1], waits[2 * k] = places[k], id
  end
  return leases, waits
end

-- Returns how many of the deliveries are claimed: none if others wait before them.
local function enter(lines, l, count, leases, waits)
  local first, claimed = KEYS[lines.first[l]], math.min(lines.claims[l], count)
  if claimed > 0 and redis.call('EXISTS', first) == 1 then claimed = 0 end
  if claimed > 0 then
    redis.call('ZADD', KEYS[lines.timed[l]], unpack(leases, 1, 2 * claimed))
    comesUp(due, lines.names[l], leaseEnd)
  end
  if claimed < count then
    redis.call('ZADD', first, unpack(waits, 2 * claimed + 1, 2 * count))
    comesUp(due, lines.names[l], 0)
  end
  return claimed
end

local function enterUsersLane(single, lane, score)
  local keys = { first = KEYS[lane.first], behind = KEYS[lane.behind], lanes = KEYS[lane.lanes], heads = KEYS[lane.heads] }
  return enterLane(keys, single.user, single.id, score)
end

local function wrongIn(group)
  local lines = group.lines
  local wrong = wrongType('HLEN', group.events) or wrongType('HLEN', group.counts)
  wrong = wrong or wrongType('ZCARD', lines.first) or wrongType('ZCARD', lines.timed)
  for _, single in ipairs(group.singles or {}) do
    for _, lane in ipairs(single.lanes or {}) do
      wrong = wrong or wrongType('ZCARD', { lane.behind, lane.lanes }) or wrongType('HLEN', { lane.heads })
    end
  end
  return wrong
end

local function takeIn(group)
  local wrong = wrongIn(group)
  if wrong then return { statuses = '', error = wrong } end
  local there, isUnsure = whatIsThere(group)
  local statuses, taken = choose(group, there, isUnsure)
  local singles, lines, isNew, sharing = group.singles, group.lines, {}, 0
  for j in ipairs(group.events) do
    isNew[j] = not (singles and there[j][1])
    if isNew[j] and not (singles and singles[j].own) then sharing = sharing + 1 end
  end
  local answer = { statuses = statuses, isNew = singles and unlessEmpty(isNew) }
  if #taken == 0 or #isNew == 0 then return answer end

  local bytes, ids, places, claimed, isReady = keepMessages(group, taken, sharing), {}, {}, {}, {}
  for k, i in ipairs(taken) do ids[k], places[k] = group.ids[i], placeFor(group.at) end
  for j in ipairs(group.events) do
    if isNew[j] then keepEvents(group, j, singles and { singles[j].id } or ids) end
  end
  local entered = {}
  local leases, waits = scored(ids, places)
  for l, j in ipairs(lines.of) do
    local single = singles and singles[j]
    if single then leases, waits = scored({ single.id }, places) end
    entered[j] = (entered[j] or 0) + 1
    claimed[l] = 0
    if isNew[j] and single and single.lanes then
      isReady[#isReady + 1] = enterUsersLane(single, single.lanes[entered[j]], places[1])
      comesUp(due, lines.names[l], 0)
    elseif isNew[j] then
      claimed[l] = enter(lines, l, #ids, leases, waits)
    end
    if isNew[j] then redis.call('HINCRBY', KEYS[group.counts[j]], lines.bytes[l], bytes) end
  end
  answer.place, answer.claimed, answer.isReady = places[1], unlessEmpty(claimed), unlessEmpty(isReady)
  return answer
end

local answers = {}
for g, group in ipairs(call.groups) do answers[g] = takeIn(group) end
keepPlace()
return cjson.encode({ leaseEnd = leaseEnd, groups = answers })
`);
