import { NOW } from './claims.js';
import { Script } from './redis-client.js';

/**
 * Takes in messages, each with all its deliveries or not at all. A delivery for which the caller has room, and before which none
 * waits, is claimed for it from the beginning.
 *
 * KEYS: messages, holders, and whatever the arguments name by its number. ARGV: lease and memory of ids in ms, what stands before
 * presences, how many URLs, and for each the number of their hash, its digest and its text. Then groups of messages that go the same
 * ways: how many deliveries each has; for each of those the numbers of events and counts, whether it is loose, the URLs of a short text
 * (nothing: it is told in full), how many lines, the numbers of the index and of the claims of each, how many counts change, their
 * fields; how many messages; for each the number of its id's key (0: none), its ref, its record, for each line of its deliveries
 * whether it is wanted claimed, its id, its score and its bytes; and for each delivery that is told in full its id, its text, its
 * scores, and by how much its counts change.
 *
 * Gives when leases end, and for each message `k` (known), `c` (claimed), `x` (meets others), or `t` and for each delivery `-`, or `n`
 * and for each line whether it is claimed.
 */
export const TAKE_IN = new Script(`
${NOW}
local at = 0
local function take() at = at + 1 return ARGV[at] end
local function number() return tonumber(take()) end
local function add(groups, key, a, b)
  local group = groups[key]
  if not group then group = {} groups[key] = group end
  group[#group + 1] = a
  if b then group[#group + 1] = b end
end
local function each(command, groups)
  for key, group in pairs(groups) do redis.call(command, key, unpack(group)) end
end

local deadline, keepMs, presence = text(now + take()), take(), take()
local urls = {}
for i = 1, number() do urls[i] = { KEYS[number()], take(), take() } end
local messages, ids = {}, {}

local function wayIn()
  local way = { events = KEYS[number()], counts = KEYS[number()], isLoose = take() == '1', urls = take() }
  way.index, way.claims, way.fields = {}, {}, {}
  for l = 1, number() do way.index[l], way.claims[l] = KEYS[number()], KEYS[number()] end
  for l = 1, number() do way.fields[l] = take() end
  return way
end

local function deliveryOn(way, message)
  if way.urls ~= '' then
    return { way = way, id = message.id, text = '["' .. message.ref .. '",' .. way.urls .. ']' }
  end
  local delivery = { way = way, id = take(), text = take(), scores = {}, sums = {} }
  for l = 1, #way.index do delivery.scores[l] = take() end
  for l = 1, #way.fields do delivery.sums[l] = number() end
  return delivery
end

local last = #ARGV
while at < last do
  local ways = {}
  for j = 1, number() do ways[j] = wayIn() end
  for i = 1, number() do
    local message = { seen = KEYS[number()], ref = take(), record = take(), wanted = take() }
    message.id, message.score, message.bytes, message.deliveries = take(), take(), number(), {}
    for j = 1, #ways do
      local delivery = deliveryOn(ways[j], message)
      message.deliveries[j] = delivery
      add(ids, ways[j].events, delivery.id)
    end
    messages[#messages + 1] = message
  end
end
local there = {}
for events, group in pairs(ids) do
  local found = redis.call('HMGET', events, unpack(group))
  there[events] = {}
  for j, id in ipairs(group) do there[events][id] = found[j] end
end

local function statusOf(message)
  if message.seen then
    local holder = redis.call('GET', message.seen)
    if holder == '1' then return 'k' end
    if holder and redis.call('EXISTS', presence .. holder) == 1 then return 'c' end
  end
  for _, delivery in ipairs(message.deliveries) do
    if there[delivery.way.events][delivery.id] and not delivery.way.isLoose then return 'x' end
  end
  return 't'
end

local records, holders, events, lines, counted, isEmpty = {}, {}, {}, {}, {}, {}
local answer = { deadline }
for i, message in ipairs(messages) do
  local status = statusOf(message)
  if status == 't' then
    if message.seen then redis.call('SET', message.seen, '1', 'PX', keepMs) end
    local held, line = 0, 0
    local flags = {}
    for _, delivery in ipairs(message.deliveries) do
      local way = delivery.way
      local known = there[way.events]
      if known[delivery.id] then
        flags[#flags + 1] = '-'
        line = line + #way.index
      else
        flags[#flags + 1] = 'n'
        held = held + 1
        known[delivery.id] = true
        add(events, way.events, delivery.id, delivery.text)
        for l, index in ipairs(way.index) do
          line = line + 1
          local isClaimed = string.byte(message.wanted, line) == 49
          if isClaimed then
            if isEmpty[index] == nil then isEmpty[index] = redis.call('EXISTS', index) == 0 end
            isClaimed = isEmpty[index]
          end
          if isClaimed then
            add(lines, way.claims[l], deadline, delivery.id)
          else
            add(lines, index, delivery.scores and delivery.scores[l] or message.score, delivery.id)
          end
          flags[#flags + 1] = isClaimed and '1' or '0'
        end
        local sums = counted[way.counts]
        if not sums then sums = {} counted[way.counts] = sums end
        for l, field in ipairs(way.fields) do
          sums[field] = (sums[field] or 0) + (delivery.sums and delivery.sums[l] or message.bytes)
        end
      end
    end
    status = status .. table.concat(flags)
    if held > 0 then add(records, KEYS[1], message.ref, message.record) end
    if held > 1 then add(holders, KEYS[2], message.ref, held) end
  end
  answer[i + 1] = status
end
each('HSET', records)
each('HSET', holders)
each('HSET', events)
each('ZADD', lines)
for counts, sums in pairs(counted) do
  for field, sum in pairs(sums) do redis.call('HINCRBY', counts, field, sum) end
end
for _, url in ipairs(urls) do redis.call('HSETNX', url[1], url[2], url[3]) end
return answer
`);
