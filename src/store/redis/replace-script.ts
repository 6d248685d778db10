import { LEAVE_FIRST, RELEASE, STANDING } from './lua.js';
import { Script } from './redis-client.js';

/**
 * Puts events in the place of what they were, each unless it is something else by now. Most deliveries end alike, and every
 * argument costs Redis about as much as a command: so what several events share is said once.
 *
 * KEYS: messages, holders, and whatever the arguments name by its number. ARGV: for each group of events: the numbers of their events,
 * bodies and counts, where they are implied the numbers of the claims and the index in which they stand, or else two zeros, whether they
 * are forgotten, how many indexes they leave, their numbers; how many URLs whose first attempt they wait
 * for no more, the numbers of the claims and the index of each and the field of its bytes; how many indexes they enter, their
 * numbers, how many counts change, their fields, how many events; for each of those its id, its ref, what it was, its bytes, unless it
 * is forgotten what it is, a score for each index it enters, by how much each count changes. Gives for each event 1 where that
 * was done, or 0.
 *
 * What only removes comes first: where memory is used up, Redis refuses a script whose first write needs more, and none that
 * has written. So deliveries end there too, which is what makes room.
 */
export const REPLACE = new Script(`
local at, last = 0, #ARGV
local function take() at = at + 1 return ARGV[at] end
local function keys()
  local list = {}
  for i = 1, tonumber(take()) do list[i] = KEYS[tonumber(take())] end
  return list
end
local function append(groups, key, a, b)
  local group = groups[key]
  if not group then group = {} groups[key] = group end
  group[#group + 1] = a
  if b then group[#group + 1] = b end
end
local function each(command, groups)
  for key, group in pairs(groups) do redis.call(command, key, unpack(group)) end
end
${RELEASE}
${LEAVE_FIRST}
${STANDING}

local answer, taken, left, forgotten, set, entered, counted, begun = {}, {}, {}, {}, {}, {}, {}, {}
local function group()
  local events, bodies, counts = KEYS[tonumber(take())], KEYS[tonumber(take())], KEYS[tonumber(take())]
  local claimed, index = KEYS[tonumber(take())], KEYS[tonumber(take())]
  local isForgotten = take() == '1'
  local leaves, firsts = keys(), {}
  for i = 1, tonumber(take()) do
    firsts[i] = { claimed = KEYS[tonumber(take())], index = KEYS[tonumber(take())], field = take(), ids = {}, bytes = {} }
  end
  local enters, fields = keys(), {}
  for i = 1, tonumber(take()) do fields[i] = take() end
  local size = tonumber(take())
  local width = 4 + (isForgotten and 0 or 1) + #enters + #fields
  local ids = {}
  for i = 1, size do ids[i] = ARGV[at + 1 + (i - 1) * width] end
  local texts = redis.call('HMGET', events, unpack(ids))
  local there = claimed and standing(claimed, index, ids)
  local done = taken[events]
  if not done then done = {} taken[events] = done end
  local sums = counted[counts]
  if not sums then sums = {} counted[counts] = sums end
  for i = 1, size do
    local id, ref, was, bytes = take(), take(), take(), take()
    local isAsItWas = there and there[i] and not texts[i] or texts[i] == was
    if not isAsItWas or done[id] then
      answer[#answer + 1] = 0
      at = at + width - 4
    else
      answer[#answer + 1] = 1
      done[id] = true
      for j = 1, #leaves do append(left, leaves[j], id) end
      for _, first in ipairs(firsts) do
        first.ids[#first.ids + 1] = id
        first.bytes[#first.ids] = tonumber(bytes)
      end
      if not isForgotten then
        append(set, events, id, take())
      else
        append(forgotten, events, id)
        if ref == '' then append(forgotten, bodies, id) else letGo(ref) end
      end
      for j = 1, #enters do append(entered, enters[j], take(), id) end
      for j = 1, #fields do sums[fields[j]] = (sums[fields[j]] or 0) + take() end
    end
  end
  for _, first in ipairs(firsts) do
    if #first.ids > 0 then begun[#begun + 1] = { first, sums } end
  end
end

while at < last do group() end
each('ZREM', left)
for _, pair in ipairs(begun) do
  local first, sums = pair[1], pair[2]
  local bytes = leaveFirst(first.claimed, first.index, first.ids, function(i) return first.bytes[i] end)
  sums[first.field] = (sums[first.field] or 0) - bytes
end
each('HDEL', forgotten)
release(KEYS[1], KEYS[2])
each('HSET', set)
each('ZADD', entered)
for counts, sums in pairs(counted) do
  for field, sum in pairs(sums) do
    if sum ~= 0 and redis.call('HINCRBY', counts, field, sum) == 0 then redis.call('HDEL', counts, field) end
  end
end
return answer
`);
