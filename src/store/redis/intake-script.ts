import { BYTES, NOW, STANDING, TAKE } from './lua.js';
import { Script } from './redis-client.js';

const SEEN = `
local function seenStatus(holder)
  if holder == '1' then return 'k' end
  if holder and redis.call('EXISTS', presence .. holder) == 1 then return 'c' end
end
`;

/**
 * Takes in messages, each with all its deliveries or not at all. The first of them for which the caller has room, and before which none
 * waits, are claimed for it from the beginning: they are not counted until they are in the index.
 *
 * ARGV: lease and memory of ids in ms, what stands before presences, how many URLs, and for each its digest and its text. Then groups of
 * messages that go the same ways: how many ways, and for each the text of its events, or nothing where they are implied, how many lines, and
 * for each of those the field of its bytes, and how many are wanted claimed; how many messages, their time, whether their ids are remembered;
 * for each message its record, and its id, by which it is known from then on.
 *
 * KEYS: messages, holders; for each URL its hash; for each group for each way its events and counts and for each line its index and
 * claims, and for each message, where its id is remembered, the key of that.
 *
 * Gives when leases end, and for each group a letter for each message, `t` (taken), `k` (known), `c` (claimed), `x` (meets others) or `n`
 * (another is known by its id), and
 * for each line how many of the messages that were taken are claimed.
 */
export const TAKE_IN = new Script(`
${NOW}
${TAKE}
${BYTES}
local deadline, keepMs, presence = text(now + take()), take(), take()
${SEEN}
for i = 1, number() do redis.call('HSETNX', nextKey(), take(), take()) end

local answer, seenNow, takenNow = { deadline }, {}, {}
local last = #ARGV
while at < last do
  local events, counts, texts, lineOf, index, claims, fields, wanted = {}, {}, {}, { 1 }, {}, {}, {}, {}
  local ways, lines = number(), 0
  for j = 1, ways do
    events[j], counts[j], texts[j] = nextKey(), nextKey(), take()
    for l = 1, number() do
      lines = lines + 1
      index[lines], claims[lines], fields[lines], wanted[lines] = nextKey(), nextKey(), take(), number()
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
  local bodies = {}
  for i = 1, size do
    local id = ids[i]
    local status = seenNow[seen[i] or ''] and 'k' or holders[i] and seenStatus(holders[i])
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
        bodies[taken] = records[i]
        leases[k - 1], leases[k] = deadline, id
        waits[k - 1], waits[k] = score, id
        stored[k - 1], stored[k] = id, records[i]
        held[k - 1], held[k] = id, ways
        entries[k - 1] = id
      end
    end
    statuses[i] = status
  end
  answer[#answer + 1] = table.concat(statuses)

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
      if claimed > 0 and redis.call('EXISTS', index[l]) == 1 then claimed = 0 end
      if claimed > 0 then redis.call('ZADD', claims[l], unpack(leases, 1, 2 * claimed)) end
      if claimed < taken then
        redis.call('ZADD', index[l], unpack(waits, 2 * claimed + 1, 2 * taken))
        local sum = 0
        for i = claimed + 1, taken do sum = sum + bodyBytes(bodies[i]) end
        redis.call('HINCRBY', counts[j], fields[l], sum)
      end
      answer[#answer + 1] = claimed
    end
  end
end
return answer
`);

/**
 * Takes in a message of which deliveries are told in full, or may be left out.
 *
 * ARGV: memory of ids in ms, what stands before presences, how many URLs, and for each its digest and its text; whether its id is
 * remembered, its ref and its record; for each delivery whether it is loose, its id, its text, what stands before the digests of URLs in the
 * names of indexes of first attempts and of claims, how many lines, the score of each, how many counts change, and for each the field and
 * by how much. KEYS: messages, holders; for each URL its hash; the key of its id; for each delivery its events, counts and URLs, and for
 * each line its index.
 *
 * Gives `k`, `c` or `x` as `TAKE_IN` does, or `t` and for each delivery `-`, where it was left out, or `n`.
 */
export const TAKE_ONE_IN = new Script(`
${TAKE}
${STANDING}
local keepMs, presence = take(), take()
${SEEN}
for i = 1, number() do redis.call('HSETNX', nextKey(), take(), take()) end
local seen = take() == '1' and nextKey() or nil
local ref, record = take(), take()
local holder = seen and redis.call('GET', seen)
local status = holder and seenStatus(holder)
if status then return status end

local deliveries, flags, held = {}, {}, 0
while at < #ARGV do
  local delivery = { events = nextKey(), counts = nextKey(), isLoose = take() == '1', id = take(), text = take() }
  local urls, index, claimed = nextKey(), take(), take()
  delivery.lines, delivery.changes = {}, {}
  for l = 1, number() do delivery.lines[l] = { nextKey(), take() } end
  for l = 1, number() do delivery.changes[l] = { take(), take() } end
  local isThere = redis.call('HEXISTS', delivery.events, delivery.id) == 1
    or redis.call('HEXISTS', KEYS[1], delivery.id) == 1 and urlOf(delivery.id, index, claimed, redis.call('HGETALL', urls)) ~= nil
  if isThere and not delivery.isLoose then return 'x' end
  flags[#flags + 1] = isThere and '-' or 'n'
  if not isThere then deliveries[#deliveries + 1] = delivery end
end

if seen then redis.call('SET', seen, '1', 'PX', keepMs) end
if #deliveries > 0 then redis.call('HSET', KEYS[1], ref, record) end
if #deliveries > 1 then redis.call('HSET', KEYS[2], ref, #deliveries) end
for _, delivery in ipairs(deliveries) do
  redis.call('HSET', delivery.events, delivery.id, delivery.text)
  for _, line in ipairs(delivery.lines) do redis.call('ZADD', line[1], line[2], delivery.id) end
  for _, change in ipairs(delivery.changes) do redis.call('HINCRBY', delivery.counts, change[1], change[2]) end
end
return 't' .. table.concat(flags)
`);
