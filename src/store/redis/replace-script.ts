import { COMES_UP, LANES, LEAVE_FIRST, NOW, PLACES, RELEASE, SHIFT, STANDING } from './lua.js';
import { Script } from './redis-client.js';

/**
 * Replaces or removes events. An event that has changed since it was read stays. Most deliveries end alike, and every
 * argument costs Redis about as much as a command, so a group names once what its events share.
 *
 * KEYS: messages, holders, due, place, and all keys that the arguments name by number.
 *
 * ARGV: the process's time, then for each group of events:
 * - the numbers of: events, counts
 * - the numbers of timed and first of the line that its events are in, if they have no records of their own; otherwise
 *   two zeros
 * - 1 if the events are removed, otherwise 0
 * - the number of sets that they leave, and their numbers
 * - the number of lines where their first attempts no longer wait, and for each the numbers of first and timed
 * - the number of sets that they enter, and for each: its number, its kind (`f` untried, `t` timed, `d` dead), the
 *   line's name
 * - the number of lanes that they enter or leave, and for each: the numbers of first, behind, lanes and heads, 1 to
 *   enter or 0 to leave, the line's name
 * - the number of counts that change, and their fields
 * - the number of events
 * - for each event: its id, its message's key, its old record or an empty string, its new record unless it is removed,
 *   a score for each set it enters, its user and a score for each lane if there are lanes, the change of each count
 *
 * Returns two lists:
 * - for each event 1 if it was replaced or removed, otherwise 0
 * - for each delivery that became ready, four values: the number of the event, the number of the lane, the id, its
 *   score
 *
 * The script removes before it adds: when memory is used up, Redis rejects a script whose first write needs more, but
 * not one that has already written. So deliveries still end, which frees memory.
 */
export const REPLACE = new Script(`
local at, last = 1, #ARGV
local function take() at = at + 1 return ARGV[at] end
local function number() return tonumber(take()) end
local function takeKey() return KEYS[number()] end
local function keys()
  local list = {}
  for i = 1, number() do list[i] = takeKey() end
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
${NOW}
${SHIFT}
${COMES_UP}
${RELEASE}
${LEAVE_FIRST}
${STANDING}
${PLACES}
${LANES}

local shift = shiftFrom(ARGV[1])
local answer, taken, left, forgotten, set, entered, counted, begun, soonest, moves = {}, {}, {}, {}, {}, {}, {}, {}, {}, {}
local function group()
  local events, counts, standsTimed, standsFirst = takeKey(), takeKey(), takeKey(), takeKey()
  local isForgotten = take() == '1'
  local leaves, begins, enters, lanes, fields = keys(), {}, {}, {}, {}
  for i = 1, number() do begins[i] = { first = takeKey(), timed = takeKey(), ids = {} } end
  for i = 1, number() do enters[i] = { key = takeKey(), kind = take(), name = take() } end
  for i = 1, number() do
    local line = { first = takeKey(), behind = takeKey(), lanes = takeKey(), heads = takeKey() }
    lanes[i] = { line = line, isEntered = take() == '1', name = take() }
  end
  for i = 1, number() do fields[i] = take() end
  local size = number()
  local width = 3 + (isForgotten and 0 or 1) + #enters + (#lanes > 0 and 1 or 0) + #lanes + #fields
  local ids = {}
  for i = 1, size do ids[i] = ARGV[at + 1 + (i - 1) * width] end
  local texts = redis.call('HMGET', events, unpack(ids))
  local there = standsTimed and standing(standsTimed, standsFirst, ids)
  local done = taken[events]
  if not done then done = {} taken[events] = done end
  local sums = counted[counts]
  if not sums then sums = {} counted[counts] = sums end
  for i = 1, size do
    local id, ref, was = take(), take(), take()
    local isAsItWas = there and there[i] and not texts[i] or texts[i] == was
    if not isAsItWas or done[id] then
      answer[#answer + 1] = 0
      at = at + width - 3
    else
      answer[#answer + 1] = 1
      done[id] = true
      for j = 1, #leaves do append(left, leaves[j], id) end
      for _, line in ipairs(begins) do line.ids[#line.ids + 1] = id end
      if isForgotten then
        append(forgotten, events, id)
        letGo(ref)
      else
        append(set, events, id, take())
      end
      for _, enter in ipairs(enters) do
        local score = number()
        if enter.kind == 't' then score = score + shift end
        append(entered, enter.key, text(score), id)
        if enter.kind ~= 'd' then
          local due = enter.kind == 't' and score or 0
          soonest[enter.name] = math.min(soonest[enter.name] or due, due)
        end
      end
      local user = #lanes > 0 and take()
      for j, lane in ipairs(lanes) do
        moves[#moves + 1] = { event = #answer, at = j, id = id, user = user, place = take(), lane = lane }
      end
      for j = 1, #fields do sums[fields[j]] = (sums[fields[j]] or 0) + take() end
    end
  end
  for _, line in ipairs(begins) do
    if #line.ids > 0 then begun[#begun + 1] = line end
  end
end

while at < last do group() end
each('ZREM', left)
for _, line in ipairs(begun) do leaveFirst(line.first, line.timed, line.ids) end
each('HDEL', forgotten)
release(KEYS[1], KEYS[2])
each('HSET', set)
each('ZADD', entered)
for name, due in pairs(soonest) do comesUp(KEYS[3], name, text(due)) end
local ready = {}
for _, move in ipairs(moves) do
  local line, id = move.lane.line, move.id
  local inLine, place
  if not move.lane.isEntered then
    inLine, place = leaveLane(line, move.user, id)
  else
    place = placeFor(move.place)
    inLine = enterLane(line, move.user, id, place) and id
  end
  if inLine then
    comesUp(KEYS[3], move.lane.name, 0)
    for _, part in ipairs({ move.event, move.at, inLine, exactly(place) }) do ready[#ready + 1] = part end
  end
end
keepPlace()
for counts, sums in pairs(counted) do
  for field, sum in pairs(sums) do
    if sum ~= 0 and redis.call('HINCRBY', counts, field, sum) == 0 then redis.call('HDEL', counts, field) end
  end
end
return { answer, ready }
`);
