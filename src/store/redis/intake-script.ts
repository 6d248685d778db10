import { COMES_UP, LANES, MESSAGE, NOW, PLACES, SHIFT, STANDING, TAKE } from './lua.js';
import { Script } from './redis-client.js';

/**
 * Takes in messages, each with all its deliveries or not at all. The first of them for which the caller has room, and before which none
 * waits, are claimed for it from the beginning.
 *
 * ARGV: lease and memory of ids in ms, how many URLs, and for each its digest and its text. Then groups of
 * messages that go the same ways: how many ways, and for each the text of its events, or nothing where they are implied, how many lines, and
 * for each of those its name, the field of its bytes, and how many are wanted claimed; how many messages, their time, whether their ids are remembered;
 * for each message its record, and its id, by which it is known from then on.
 *
 * KEYS: messages, holders, due, place; for each URL its hash; for each group for each way its events and counts and for each line what was never
 * tried and what has a time, and for each message, where its id is remembered, the key of that.
 *
 * Gives when leases end, and for each group a letter for each message, `t` (taken), `k` (known), `x` (meets others) or `n`
 * (another is known by its id), the place in line of the first that was taken, where the next are each a step behind it, and
 * for each line how many of the messages that were taken are claimed.
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
 * Takes in a message of which deliveries are told in full, or may be left out.
 *
 * ARGV: memory of ids in ms, the time by the clock of the process, how many URLs, and for each its digest and its text; whether its id is
 * remembered, its ref and its record; for each delivery whether it is loose, its id, its text, what stands before the digests of URLs in the
 * keys of what was never tried and of what has a time, how many sets it enters, the score, the kind and the line's name of each, and for one
 * that enters a lane its user, how many counts change, and for each the field and by how much. KEYS: messages, holders, due, place; for each URL
 * its hash; the key of its id; for each delivery its events, counts and URLs, and each set that it enters, or for a lane the parts of the line.
 *
 * Gives `k` or `x` as `TAKE_IN` does, or `t` and for each delivery `-`, where it was left out, or `n`, and behind that for each lane that one
 * entered `1` where it is in line by that, or `0`.
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
