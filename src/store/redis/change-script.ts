import {
  CHUNKED,
  COMES_UP,
  COUNTS,
  IN_LINE,
  LANES,
  NOW,
  PLACES,
  REFERENCES,
  SHARED,
  SHIFT,
  WRONG_TYPE,
} from './lua.js';
import { Script } from './redis-client.js';

/** The answer of `CHANGE`, as JSON. */
export interface ChangeAnswer {
  /** For each event of all groups, true if it was changed. */
  readonly isChanged: readonly boolean[];
  /** The groups that were skipped because one of their keys is of another type. */
  readonly failed?: readonly { readonly group: number; readonly error: string }[];
  /** The deliveries that became ready: the change and the lane in it, counted from 1, and the score in the line. */
  readonly ready?: readonly {
    readonly change: number;
    readonly lane: number;
    readonly id: string;
    readonly at: string;
  }[];
}

/**
 * Replaces or removes events, as `describeGroup` of the bulk writer describes them. An event that has changed since it was read stays.
 *
 * Each event enters its next place before it leaves the last one, so that a script that fails half way leaves it in one of them. The
 * first write needs no memory: when that is used up, Redis rejects a script whose first write needs more, but not one that has already
 * written. So deliveries still end, which frees memory.
 */
export const CHANGE = new Script(`
${SHARED}
${NOW}
${SHIFT}
${WRONG_TYPE}
${COUNTS}
${COMES_UP}
${REFERENCES}
${IN_LINE}
${PLACES}
${LANES}
local wrong = wrongInShared()
if wrong then return redis.error_reply(wrong) end
local shift = shiftFrom(call.now)
local isChanged, changedIn, moves, begun, chunked, failed = {}, {}, {}, {}, {}, {}
-- What is written together, by the key that it concerns.
local left, removed, stored, entered, sums, soonest = {}, {}, {}, {}, {}, {}
-- The events that stay in a set or enter it, by its key.
local stays = {}

local function listIn(lists, key)
  local list = lists[key]
  if not list then
    list = {}
    lists[key] = list
  end
  return list
end
local function append(list, a, b)
  list[#list + 1] = a
  if b then list[#list + 1] = b end
end
local function each(command, lists)
  for key, list in pairs(lists) do redis.call(command, key, unpack(list)) end
end

-- Returns for each event whether it is as it was read.
local function comparison(group)
  local ids, events, isAsRead = group.ids, KEYS[group.events], {}
  local texts = redis.call('HMGET', events, unpack(ids))
  local line, was = group.waitsIn, group.was
  if line then
    isAsRead = inLine(KEYS[line.first], KEYS[line.timed], ids, group.from or {})
    for i in ipairs(ids) do isAsRead[i] = isAsRead[i] and not texts[i] end
  else
    local isSame = type(was) == 'string'
    for i in ipairs(ids) do isAsRead[i] = texts[i] == (isSame and was or was[i]) end
  end
  return isAsRead
end

-- Returns the numbers of the events that are as they were read, each event once.
local function unchanged(group)
  local isAsRead, done, numbers = comparison(group), listIn(changedIn, KEYS[group.events]), {}
  for i, id in ipairs(group.ids) do
    local isDone = isAsRead[i] and not done[id] or false
    isChanged[#isChanged + 1] = isDone
    if isDone then
      done[id] = true
      numbers[#numbers + 1] = i
    end
  end
  return numbers
end

local function enter(entry, scores, ids, numbers)
  local set = listIn(entered, KEYS[entry.set])
  for _, i in ipairs(numbers) do
    local score = scores[i] + (entry.stage == 'retry' and shift or 0)
    append(set, text(score), ids[i])
    listIn(stays, KEYS[entry.set])[ids[i]] = true
    if entry.line then
      local comes = entry.stage == 'retry' and score or 0
      soonest[entry.line] = math.min(soonest[entry.line] or comes, comes)
    end
  end
end

-- Notes the deliveries that leave chunks. Only an event that was read while it waited has a place from its message.
local function noteChunked(line, group, numbers)
  local first = KEYS[line.first]
  local chunks = listIn(chunked, first)
  for _, i in ipairs(numbers) do
    local member, from, inside, number = chunkWith(first, group.ids[i], group.from[i])
    if member then
      local field = line.digest .. ${CHUNKED}
      chunks[member] = chunks[member] or { from = from, ids = inside, left = {}, counts = KEYS[group.counts], field = field }
      chunks[member].left[number] = true
    end
  end
end

-- Replaces a chunk by chunks of the deliveries that stay.
local function leaveChunk(first, member, chunk)
  local ids, from, fewer = chunk.ids, 1, #chunk.ids - 1
  for number = 1, #ids + 1 do
    if chunk.left[number] or number > #ids then
      local staying, more = chunksOf(ids, chunk.from, from, number - 1)
      if #staying > 0 then redis.call('ZADD', first, unpack(staying)) end
      from, fewer = number + 1, fewer - more
    end
  end
  redis.call('ZREM', first, member)
  addTo(chunk.counts, chunk.field, -fewer)
end

local function wrongIn(group)
  local sets, hashes = { unpack(group.leaves) }, { group.events, group.counts }
  for _, line in ipairs(group.begins) do append(sets, line.first, line.timed) end
  for _, entry in ipairs(group.enters) do append(sets, entry.set) end
  local wrong = wrongType('ZCARD', sets) or wrongType('HLEN', hashes)
  for _, lane in ipairs(group.lanes) do wrong = wrong or wrongLane(lane) end
  return wrong
end

local function apply(group)
  local ids, before, numbers = group.ids, #isChanged, unchanged(group)
  if #numbers == 0 then return end
  local changed = {}
  for k, i in ipairs(numbers) do changed[k] = ids[i] end
  for _, set in ipairs(group.leaves) do
    local list = listIn(left, KEYS[set])
    for _, id in ipairs(changed) do append(list, id) end
  end
  for _, line in ipairs(group.begins) do
    append(begun, { first = KEYS[line.first], timed = KEYS[line.timed], ids = changed })
    if group.from then noteChunked(line, group, numbers) end
  end
  if group.isRemoval then
    local refs = group.refs or ids
    for _, i in ipairs(numbers) do dropReference(refs[i]) end
    local list = group.waitsIn and {} or listIn(removed, KEYS[group.events])
    for _, id in ipairs(changed) do append(list, id) end
  else
    local list = listIn(stored, KEYS[group.events])
    for _, i in ipairs(numbers) do append(list, ids[i], group.is[i]) end
  end
  for j, entry in ipairs(group.enters) do enter(entry, group.at[j], ids, numbers) end
  for _, i in ipairs(numbers) do
    for j, lane in ipairs(group.lanes) do
      append(moves, { change = before + i, at = j, id = ids[i], user = group.users[i], place = group.places[j][i], lane = lane })
    end
  end
  local counts = listIn(sums, KEYS[group.counts])
  for j, field in ipairs(group.fields) do
    local sum = counts[field] or 0
    for _, i in ipairs(numbers) do sum = sum + group.by[j][i] end
    counts[field] = sum
  end
end

-- Moves the event in its user's lane, and returns the id and the score of what became ready by that.
local function move(lane, id, user, place)
  local line = laneKeys(lane)
  if not lane.isEntered then return leaveLane(line, user, id) end
  local score = placeFor(place)
  return enterLane(line, user, id, score) and id, score
end

for g, group in ipairs(call.groups) do
  local wrong = wrongIn(group)
  if wrong then
    append(failed, { group = g, error = wrong })
    for _ in ipairs(group.ids) do append(isChanged, false) end
  else
    apply(group)
  end
end

-- Removes the events that do not stay in the set, and returns how many of all were there.
local function leave(set, ids)
  local there, gone, staying = 0, {}, stays[set] or {}
  for _, id in ipairs(ids) do append(staying[id] and {} or gone, id) end
  if #gone > 0 then there = redis.call('ZREM', set, unpack(gone)) end
  return there + #ids - #gone
end

redis.call('ZREM', due, '')
local hasNew = {}
for set, list in pairs(entered) do hasNew[set] = redis.call('ZADD', set, unpack(list)) > 0 end
each('HSET', stored)
for line, comes in pairs(soonest) do comesUp(due, line, text(comes)) end
each('HDEL', removed)
dropReferences()
for set, ids in pairs(left) do leave(set, ids) end
for _, line in ipairs(begun) do
  if leave(line.timed, line.ids) < #line.ids or hasNew[line.timed] then leave(line.first, line.ids) end
end
for first, chunks in pairs(chunked) do
  for member, chunk in pairs(chunks) do leaveChunk(first, member, chunk) end
end
local ready = {}
for _, each in ipairs(moves) do
  local id, score = move(each.lane, each.id, each.user, each.place)
  if id then
    comesUp(due, each.lane.line, 0)
    append(ready, { change = each.change, lane = each.at, id = id, at = exactly(score) })
  end
end
keepPlace()
for counts, changes in pairs(sums) do
  for field, sum in pairs(changes) do
    if sum ~= 0 and addTo(counts, field, sum) == 0 then redis.call('HDEL', counts, field) end
  end
end
return cjson.encode({ isChanged = isChanged, failed = #failed > 0 and failed or nil, ready = #ready > 0 and ready or nil })
`);
