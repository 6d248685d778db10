import { COMES_UP, LANES, MESSAGE, NOW, PLACES, SHIFT, STANDING, TAKE } from './lua.js';
import { Script } from './redis-client.js';

/**
 * Stores new messages, each with all its deliveries or not at all. At once it claims first attempts for the calling
 * process: as many as that has room for, in lines where nothing waits.
 *
 * KEYS:
 * - messages, holders, due, place
 * - for each new URL: the hash of URLs
 * - for each group, for each way: events, counts, and for each line: first, timed
 * - for each group, for each message if ids are remembered: the key that remembers its id
 *
 * ARGV:
 * - the lease and how long ids are remembered, both in ms
 * - the number of new URLs, and for each its digest and the URL
 * - for each group of messages with the same ways: the number of ways
 * - for each way: the events' record, or an empty string if they have none of their own, and the number of lines
 * - for each line: its name, the field of its byte count, the most deliveries to claim
 * - then for the group: the number of messages, the time of acceptance, 1 if ids are remembered or 0
 * - for each message: its record and its id, which becomes the record's key
 *
 * Returns when the new leases end, and for each group:
 * - a letter for each message: `t` taken, `k` id known, `x` another event has its id, `n` another message's record has
 *   its id as key
 * - the score of the first message taken; each later one is one step further
 * - for each line: how many of the messages taken are claimed
 */
export const TAKE_IN = new Script(`
${NOW}
${TAKE}
${MESSAGE}
${COMES_UP}
${PLACES}
local deadline, keepMs = text(now + take()), take()
for i = 1, number() do redis.call('HSETNX', nextKey(), take(), take()) end

local answer, seenNow, takenNow = { deadline }, {}, {}
local last = #ARGV
while at < last do
  local events, counts, texts, lineOf, first, timed, names, fields, wanted = {}, {}, {}, { 1 }, {}, {}, {}, {}, {}
  local ways, lines = number(), 0
  for j = 1, ways do
    events[j], counts[j], texts[j] = nextKey(), nextKey(), take()
    for l = 1, number() do
      lines = lines + 1
      first[lines], timed[lines], names[lines], fields[lines], wanted[lines] = nextKey(), nextKey(), take(), take(), number()
    end
    lineOf[j + 1] = lines + 1
  end
  local size, score, isRemembered = number(), take(), take() == '1'
  local records, ids, seen = {}, {}, {}
  for i = 1, size do
    records[i], ids[i] = take(), take()
    if isRemembered then seen[i] = nextKey() end
  end

  local holders, meets = isRemembered and redis.call('MGET', unpack(seen)) or {}, {}
  local named = ways > 0 and redis.call('HMGET', KEYS[1], unpack(ids)) or {}
  for j = 1, ways do
    if redis.call('EXISTS', events[j]) == 1 then
      for i, there in ipairs(redis.call('HMGET', events[j], unpack(ids))) do meets[i] = meets[i] or there end
    end
  end
  local statuses, taken, leases, waits, stored, held, entries = {}, 0, {}, {}, {}, {}, {}
  local sum, place = 0, ''
  for i = 1, size do
    local id = ids[i]
    local status = (seenNow[seen[i] or ''] or holders[i]) and 'k'
    if not status then
      if meets[i] then
        status = 'x'
      elseif named[i] or takenNow[id] then
        status = 'n'
      else
        status = 't'
        if isRemembered then
          seenNow[seen[i]] = true
          redis.call('SET', seen[i], '1', 'PX', keepMs)
        end
        if ways > 0 then takenNow[id] = true end
        taken = taken + 1
        local k = 2 * taken
        if ways > 0 then sum = sum + bodyBytes(records[i]) end
        leases[k - 1], leases[k] = '-' .. deadline, id
        if ways > 0 then
          waits[k - 1], waits[k] = placeFor(score), id
          if taken == 1 then place = waits[1] end
        end
        stored[k - 1], stored[k] = id, records[i]
        held[k - 1], held[k] = id, ways
        entries[k - 1] = id
      end
    end
    statuses[i] = status
  end
  answer[#answer + 1] = table.concat(statuses)
  answer[#answer + 1] = place

  if taken > 0 and ways > 0 then
    redis.call('HSET', KEYS[1], unpack(stored))
    if ways > 1 then redis.call('HSET', KEYS[2], unpack(held)) end
  end
  for j = 1, ways do
    if taken > 0 and texts[j] ~= '' then
      for k = 2, 2 * taken, 2 do entries[k] = texts[j] end
      redis.call('HSET', events[j], unpack(entries))
    end
    for l = lineOf[j], lineOf[j + 1] - 1 do
      local claimed = math.min(wanted[l], taken)
      if claimed > 0 and redis.call('EXISTS', first[l]) == 1 then claimed = 0 end
      if claimed > 0 then
        redis.call('ZADD', timed[l], unpack(leases, 1, 2 * claimed))
        comesUp(KEYS[3], names[l], deadline)
      end
      if claimed < taken then
        redis.call('ZADD', first[l], unpack(waits, 2 * claimed + 1, 2 * taken))
        comesUp(KEYS[3], names[l], 0)
      end
      if taken > 0 then redis.call('HINCRBY', counts[j], fields[l], sum) end
      answer[#answer + 1] = claimed
    end
  end
end
keepPlace()
return answer
`);

/**
 * Stores one message whose events need records of their own, or one of whose events may be known already.
 *
 * KEYS:
 * - messages, holders, due, place
 * - for each new URL: the hash of URLs
 * - the key that remembers the message's id, if it is remembered
 * - for each delivery: events, counts, urls, and for each set that it enters its key, or for a lane: first, behind,
 *   lanes, heads
 *
 * ARGV:
 * - how long ids are remembered, in ms, and the process's time
 * - the number of new URLs, and for each its digest and the URL
 * - 1 if the id is remembered or 0, the record's key, the record
 * - for each delivery: 1 if it may be known already or 0, its id, its event's record, the prefixes of the first and
 *   timed keys of URLs
 * - the number of sets that it enters, and for each: the score, the kind, the line's name, and for a lane the user
 * - the number of counts that change, and for each: the field, the change
 *
 * Returns `k` or `x` like `TAKE_IN`, or `t`, followed by a letter for each delivery (`n` new, `-` left out) and a digit
 * for each lane that a new delivery entered (`1` if it is ready, `0` if it waits behind another).
 */
export const TAKE_ONE_IN = new Script(`
${NOW}
${TAKE}
${SHIFT}
${COMES_UP}
${PLACES}
${STANDING}
${LANES}
local keepMs, shift = take(), shiftFrom(take())
for i = 1, number() do redis.call('HSETNX', nextKey(), take(), take()) end
local seen = take() == '1' and nextKey() or nil
local ref, record = take(), take()
if seen and redis.call('EXISTS', seen) == 1 then return 'k' end

local deliveries, flags = {}, {}
while at < #ARGV do
  local delivery = { events = nextKey(), counts = nextKey(), isLoose = take() == '1', id = take(), text = take() }
  local urls, first, timed = nextKey(), take(), take()
  delivery.enters, delivery.changes = {}, {}
  for l = 1, number() do
    local enter = { key = nextKey(), score = number(), kind = take(), name = take() }
    if enter.kind == 'l' then
      enter.user, enter.line = take(), { first = enter.key, behind = nextKey(), lanes = nextKey(), heads = nextKey() }
    end
    delivery.enters[l] = enter
  end
  for l = 1, number() do delivery.changes[l] = { take(), take() } end
  local isThere = redis.call('HEXISTS', delivery.events, delivery.id) == 1
    or redis.call('HEXISTS', KEYS[1], delivery.id) == 1 and urlOf(delivery.id, first, timed, redis.call('HGETALL', urls)) ~= nil
  if isThere and not delivery.isLoose then return 'x' end
  flags[#flags + 1] = isThere and '-' or 'n'
  if not isThere then deliveries[#deliveries + 1] = delivery end
end

if seen then redis.call('SET', seen, '1', 'PX', keepMs) end
if #deliveries > 0 then redis.call('HSET', KEYS[1], ref, record) end
if #deliveries > 1 then redis.call('HSET', KEYS[2], ref, #deliveries) end
local inLine = {}
for _, delivery in ipairs(deliveries) do
  redis.call('HSET', delivery.events, delivery.id, delivery.text)
  for _, enter in ipairs(delivery.enters) do
    local isFirst = enter.kind == 'f' or enter.kind == 'l'
    local score = isFirst and placeFor(enter.score) or text(enter.score + (enter.kind == 't' and shift or 0))
    if enter.line then
      inLine[#inLine + 1] = enterLane(enter.line, enter.user, delivery.id, score) and '1' or '0'
    else
      redis.call('ZADD', enter.key, score, delivery.id)
    end
    if enter.kind ~= 'd' then comesUp(KEYS[3], enter.name, enter.kind == 't' and score or 0) end
  end
  for _, change in ipairs(delivery.changes) do redis.call('HINCRBY', delivery.counts, change[1], change[2]) end
end
keepPlace()
return 't' .. table.concat(flags) .. table.concat(inLine)
`);
