import { CHUNKED, COMES_UP, COUNTS, HOLDS, LANES, MESSAGE, NOW, PLACES, SHARED, WRONG_TYPE } from './lua.js';
import { Script } from './redis-client.js';

/** The answer of `TAKE_IN`, as JSON. Empty lists are omitted. */
export interface TakeInAnswer {
  /** When the new leases end by the clock of Redis. */
  readonly leaseEnd: string;
  readonly groups: readonly {
    /**
     * One letter per message: `t` if it was taken; `k` if its id is known; `n` if it must be sent again as `named`, because
     * another message or event uses its id, or because a URL that the process does not know may have the event. Empty if no
     * message was looked at.
     */
    readonly statuses: string;
    /** Why no message was looked at: a key is of another type. */
    readonly error?: string;
    /** The score of the first message that was taken; each following one is one step higher. */
    readonly place?: string;
    /** For each line of each delivery, how many of the taken messages are claimed. */
    readonly claimed?: readonly number[];
    /** For each line of ordered events, true for each taken message that is ready there. */
    readonly isReady?: readonly (readonly boolean[])[];
    /** For a `named` message: its id at each destination, or false if the destination already has it. */
    readonly newIds?: readonly (string | false)[];
  }[];
}

/**
 * Stores new messages, each with all its deliveries or not at all. It also claims first attempts for the calling process: as many
 * as that has room for, in lines where nothing waits. `describeGroup` describes each of the `groups`.
 */
export const TAKE_IN = new Script(`
${SHARED}
${NOW}
${MESSAGE}
${WRONG_TYPE}
${COUNTS}
${COMES_UP}
${HOLDS}
${PLACES}
${LANES}
local wrong = wrongInShared()
if wrong then return redis.error_reply(wrong) end
local leaseEnd = text(now + call.leaseMs)

local function unlessEmpty(list) return #list > 0 and list or nil end

local function isThere(group, j, id)
  return holds(group.events[j], group.named.urls[j], group.named.known[j], id)
end

-- Returns the source of an event's message, or nil if that cannot be read.
local function sourceOf(events, id)
  local record = redis.call('HGET', messages, refOf(redis.call('HGET', KEYS[events], id), id))
  local isRead, fields = pcall(cjson.decode, string.match(record or '', '^[^%[]*([^\\n]*)'))
  return isRead and fields[3] ~= cjson.null and fields[3] or nil
end

-- Returns the id that is new to a destination: that of the message, or the one with its source if another source has that. Returns
-- false if the destination has the message, and 'unsure'.
local function newIdAt(group, j)
  local id, named = group.ids[1], group.named
  local there = isThere(group, j, id)
  if there ~= true then return there or id end
  if not named.sourcedId or sourceOf(group.events[j], id) == named.source then return false end
  there = isThere(group, j, named.sourcedId)
  if there == 'unsure' then return there end
  return not there and named.sourcedId
end

-- Returns the ids for each destination, and which of the messages cannot be kept as they are.
local function namesOf(group)
  local newIds, isNamed = {}, {}
  if group.named then
    for j in ipairs(group.events) do
      newIds[j] = newIdAt(group, j)
      isNamed[1] = isNamed[1] or newIds[j] == 'unsure'
    end
  elseif #group.events > 0 then
    isNamed = redis.call('HMGET', messages, unpack(group.ids))
    for _, events in ipairs(group.events) do
      for i, text in ipairs(redis.call('HMGET', KEYS[events], unpack(group.ids))) do isNamed[i] = isNamed[i] or text end
    end
  end
  return newIds, isNamed
end

-- Users of whom a message could not be kept as it is. Their later messages wait for it, and so are not kept now either.
local heldUp = {}

-- Says what becomes of each message, and returns the numbers of those to be taken.
local function choose(group, isNamed)
  local seen, seenNow, takenNow, statuses, taken = {}, {}, {}, {}, {}
  if group.seen then for i, key in ipairs(group.seen) do seen[i] = KEYS[key] end end
  local known = group.seen and redis.call('MGET', unpack(seen)) or {}
  local goesSomewhere = #group.events > 0
  for i, id in ipairs(group.ids) do
    local user = group.users and group.users[i] or false
    if known[i] or seenNow[seen[i]] then
      statuses[i] = 'k'
    elseif isNamed[i] or takenNow[id] or heldUp[user] then
      statuses[i] = 'n'
      if user then heldUp[user] = true end
    else
      statuses[i] = 't'
      taken[#taken + 1] = i
      takenNow[id] = goesSomewhere
      if seen[i] then seenNow[seen[i]] = true end
    end
  end
  return table.concat(statuses), taken
end

local function bytesOf(group, taken)
  local bytes = 0
  for _, i in ipairs(taken) do bytes = bytes + bodyBytes(ARGV[group.record + i - 1]) end
  return bytes
end

-- Remembers the ids of the messages that are stored. A script that fails before that is repeated, and stores what is missing.
local function remember(group, taken)
  for _, i in ipairs(group.seen and taken or {}) do redis.call('SET', KEYS[group.seen[i]], '1', 'PX', call.keepMs) end
end

-- Keeps each message for its destinations, with its place in line in front of its record.
local function keepMessages(group, taken, places, sharing)
  local records, counted = {}, {}
  for k, i in ipairs(taken) do
    local ref, record = group.named and group.named.ref or group.ids[i], ARGV[group.record + i - 1]
    records[2 * k - 1], records[2 * k] = ref, places[k] .. ' ' .. record
    counted[2 * k - 1], counted[2 * k] = ref, sharing
  end
  if sharing > 0 then redis.call('HSET', messages, unpack(records)) end
  if sharing > 1 then redis.call('HSET', references, unpack(counted)) end
end

-- Keeps the records of the destination's events, if they have any.
local function keepEvents(events, text, ids)
  if not text then return end
  local texts = {}
  for k, id in ipairs(ids) do texts[2 * k - 1], texts[2 * k] = id, text end
  redis.call('HSET', KEYS[events], unpack(texts))
end

-- Returns the scores and ids of these events by turns, as claimed ones.
local function leased(ids)
  local leases, lease = {}, '-' .. leaseEnd
  for k, id in ipairs(ids) do leases[2 * k - 1], leases[2 * k] = lease, id end
  return leases
end

-- Returns how many of the deliveries are claimed: none if others wait before them.
local function enter(lines, l, ids, score, leases, counts)
  local first, count = KEYS[lines.first[l]], #ids
  local claimed = math.min(lines.claims[l], count)
  if claimed > 0 and redis.call('EXISTS', first) == 1 then claimed = 0 end
  if claimed > 0 then
    redis.call('ZADD', KEYS[lines.timed[l]], unpack(leases, 1, 2 * claimed))
    comesUp(due, lines.names[l], leaseEnd)
  end
  if claimed < count then
    local chunks, more = chunksOf(ids, score, claimed + 1, count)
    redis.call('ZADD', first, unpack(chunks))
    if more > 0 then addTo(counts, lines.digests[l] .. ${CHUNKED}, more) end
    comesUp(due, lines.names[l], 0)
  end
  return claimed
end

-- Returns for each message taken whether it is ready.
local function enterLanes(group, lane, taken, ids, places)
  local keys, isReady = laneKeys(lane), {}
  for k, i in ipairs(taken) do isReady[k] = enterLane(keys, group.users[i], ids[k], places[k]) end
  return isReady
end

local function wrongIn(group)
  local lines = group.lines
  local wrong = wrongType('HLEN', group.events) or wrongType('HLEN', group.counts)
  wrong = wrong or wrongType('ZCARD', lines.first) or wrongType('ZCARD', lines.timed)
  for _, lane in ipairs(lines.lanes or {}) do wrong = wrong or lane and wrongLane(lane) end
  return wrong or nil
end

local function takeIn(group)
  local wrong = wrongIn(group)
  if wrong then return { statuses = '', error = wrong } end
  local newIds, isNamed = namesOf(group)
  local statuses, taken = choose(group, isNamed)
  local answer = { statuses = statuses, newIds = unlessEmpty(newIds) }
  local sharing = 0
  for j in ipairs(group.events) do if newIds[j] ~= false then sharing = sharing + 1 end end
  if #taken == 0 or sharing == 0 then
    remember(group, taken)
    return answer
  end

  local bytes, ids, places, claimed, isReady = bytesOf(group, taken), {}, {}, {}, {}
  for k, i in ipairs(taken) do ids[k], places[k] = group.ids[i], placeFor(group.at) end
  -- The first write is one that remembers ids too: where the server denies that, nothing is stored that would come again.
  keepPlace()
  -- The messages come before their deliveries: if the script fails in between and is repeated, they are found, and not doubled.
  keepMessages(group, taken, places, sharing)
  local lines, leases, score = group.lines, leased(ids), tonumber(places[1])
  for l, j in ipairs(lines.of) do
    claimed[l] = 0
    if newIds[j] ~= false then
      local idsThere, lane = newIds[j] and { newIds[j] } or ids, lines.lanes and lines.lanes[l]
      if newIds[j] then leases = leased(idsThere) end
      if lane then
        isReady[#isReady + 1] = enterLanes(group, lane, taken, idsThere, places)
        comesUp(due, lines.names[l], 0)
      else
        claimed[l] = enter(lines, l, idsThere, score, leases, KEYS[group.counts[j]])
      end
      addTo(KEYS[group.counts[j]], lines.digests[l] .. '/bytes', bytes)
    end
  end
  for j, events in ipairs(group.events) do
    if newIds[j] ~= false then keepEvents(events, group.texts and group.texts[j], newIds[j] and { newIds[j] } or ids) end
  end
  remember(group, taken)
  answer.place, answer.claimed, answer.isReady = places[1], unlessEmpty(claimed), unlessEmpty(isReady)
  return answer
end

local answers = {}
for g, group in ipairs(call.groups) do answers[g] = takeIn(group) end
return cjson.encode({ leaseEnd = leaseEnd, groups = answers })
`);
