import { USER_KEY_LENGTH } from '../../delivery/event-names.js';

/** `now` is the clock of Redis in ms, which all processes share. `text` writes a whole number with all its digits. */
export const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function text(number) return string.format('%.0f', number) end
`;

/** `call` contains the arguments by name, as `ScriptCall` writes them: a number in place of each key or record. */
export const CALL = `
local call = cjson.decode(ARGV[1])
`;

/** The first four keys are those of `Messages`, in its order. */
export const SHARED = `
${CALL}
local messages, references, due, place = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
`;

/**
 * `wrongType` returns an error if one of the keys, given by their numbers, is of another type than the command needs. Redis keeps
 * what a script wrote before it failed, so a script checks before it writes, and skips the endpoint with such a key.
 */
export const WRONG_TYPE = `
local function wrongType(command, numbers)
  for _, number in ipairs(numbers) do
    local answer = redis.pcall(command, KEYS[number])
    if type(answer) == 'table' then return answer.err .. ': ' .. KEYS[number] end
  end
end
local function wrongInShared() return wrongType('HLEN', { 1, 2 }) or wrongType('ZCARD', { 3 }) or wrongType('STRLEN', { 4 }) end
local function wrongLane(lane)
  return wrongType('ZCARD', { lane.first, lane.behind, lane.lanes }) or wrongType('HLEN', { lane.heads })
end
`;

/** `addTo` adds to a count, and returns the sum. A damaged count starts again at 0, so that it blocks nothing. */
export const COUNTS = `
local function addTo(counts, field, change)
  local sum = redis.pcall('HINCRBY', counts, field, change)
  if type(sum) == 'number' then return sum end
  if string.find(sum.err, 'not an integer', 1, true) then redis.call('HSET', counts, field, 0) end
  return redis.call('HINCRBY', counts, field, math.max(0, change))
end
`;

/**
 * `refOf` returns the key of an event's message, from the event's own record or, if it has none (false), its id.
 * `bodyBytes` returns the size of a message's body, which follows the first line of its record.
 */
export const MESSAGE = `
local function refOf(event, id)
  if not event then return id end
  local ref = string.match(event, '^%["([^"]*)"')
  -- Another version may have written a record without a key. It must not hide the messages of other events.
  return (ref or '') == '' and id or ref
end
local function bodyBytes(record) return #record - string.find(record, '\\n', 1, true) end
`;

/**
 * Marks a line as due at a time, unless it is due earlier. Every script that adds to a line must call it, or no process would
 * look there. A time that is too early does no harm, because the process that looks corrects it.
 */
export const COMES_UP = `
local function comesUp(due, line, score) redis.call('ZADD', due, 'LT', score, line) end
`;

/** The distance between two scores in a line, in ms. A double of this size could represent steps four times smaller. */
export const PLACE_STEP = 1 / 1024;

/** The most deliveries in a chunk. A larger chunk would save little memory, and is rewritten whenever a part of it leaves. */
const MOST_IN_CHUNK = 20;

/** The greatest distance between the score of a chunk and that of its last delivery. */
export const CHUNK_SPAN = (MOST_IN_CHUNK - 1) * PLACE_STEP;

/** The end of the field that counts how many more deliveries than members the set of first attempts has. */
export const CHUNKED = `'/chunked'`;

/**
 * The set of first attempts holds deliveries in chunks, because a member costs three times as many bytes as the id in it. A chunk
 * is a member with the ids of several deliveries, whose scores follow each other by `PLACE_STEP`; its own score is the first of
 * them. It is written only when messages are taken in. A delivery that enters the line later is a member of its own, its id. The
 * byte 255 marks a chunk and separates the ids, because UTF-8 never has this byte.
 *
 * `idsIn` returns the ids of a member. `chunksOf` returns the scores and members for ids from one number up to another, which have
 * the places from `score` on, and how many more ids than members these are. `exactly` writes a score with all its digits.
 */
export const CHUNKS = `
local function exactly(score) return string.format('%.17g', score) end
local function idsIn(member)
  if string.byte(member) ~= 255 then return { member } end
  local ids = {}
  for id in string.gmatch(member, '[^\\255]+') do ids[#ids + 1] = id end
  return ids
end
local function placeOf(score, number) return exactly(score + (number - 1) * ${PLACE_STEP}) end
local function chunksOf(ids, score, from, to)
  local chunks, more = {}, 0
  for first = from, to, ${MOST_IN_CHUNK} do
    local last = math.min(first + ${MOST_IN_CHUNK - 1}, to)
    chunks[#chunks + 1] = placeOf(score, first)
    chunks[#chunks + 1] = first == last and ids[first] or '\\255' .. table.concat(ids, '\\255', first, last)
    more = more + last - first
  end
  return chunks, more
end
`;

/**
 * `placeIn` returns the place with which a message was taken in, from its record. `chunkWith` returns the chunk that has a delivery
 * with that place: its member, its score, its ids, and the number of the delivery among them. Returns nothing if the delivery is in
 * none, or without a place.
 */
export const IN_CHUNK = `
${CHUNKS}
local function placeIn(record) return tonumber(string.match(record or '', '^%S+')) end
local function chunkWith(first, id, place)
  if not place then return end
  local from = exactly(place - ${CHUNK_SPAN})
  local members = redis.call('ZREVRANGEBYSCORE', first, exactly(place), from, 'WITHSCORES')
  for j = 1, #members, 2 do
    local ids, score = idsIn(members[j]), tonumber(members[j + 1])
    local number = (place - score) / ${PLACE_STEP} + 1
    if #ids > 1 and ids[number] == id then return members[j], score, ids, number end
  end
end
`;

/**
 * `placeFor` returns a score in the line: the time of acceptance by the process's clock, but always greater than the last score.
 * First attempts therefore start in the order in which Redis received them.
 */
export const PLACES = `
local behind = tonumber(redis.call('GET', place) or 0) or 0
local isPlaced = false
local function placeFor(time)
  behind = math.max(time, behind + ${PLACE_STEP})
  isPlaced = true
  return exactly(behind)
end
local function keepPlace()
  if isPlaced then redis.call('SET', place, exactly(behind)) end
end
`;

/**
 * `shiftFrom` returns what to add to a process's time to get Redis' time. A difference under a second is attributed to the
 * network, and counts as none.
 */
export const SHIFT = `
local function shiftFrom(theirs)
  local shift = now - theirs
  return math.abs(shift) < 1000 and 0 or shift
end
`;

/**
 * `inLine` returns for each event whether it is in the line of a URL, claimed or not. An untried event without a record of its own exists only by being in a line. `places` has the places of their messages; one that is
 * false cannot be in a chunk.
 */
export const IN_LINE = `
${IN_CHUNK}
local function inLine(first, timed, ids, places)
  local found = redis.call('ZMSCORE', timed, unpack(ids))
  for i, id in ipairs(ids) do
    found[i] = found[i] or redis.call('ZSCORE', first, id) or chunkWith(first, id, places[i]) or false
  end
  return found
end
`;

/**
 * `holds` returns whether a store has an event: true, false, or 'unsure' if it may wait at a URL that the process does not know.
 * `events` and `urls` are the numbers of the store's keys; `lines` has the numbers for each line that the process knows.
 */
export const HOLDS = `
${IN_LINE}
local function holds(events, urls, lines, id)
  if redis.call('HEXISTS', KEYS[events], id) == 1 then return true end
  local record = redis.call('HGET', messages, id)
  if not record then return false end
  if redis.call('HLEN', KEYS[urls]) > #lines then return 'unsure' end
  for _, line in ipairs(lines) do
    if inLine(KEYS[line.first], KEYS[line.timed], { id }, { placeIn(record) })[1] then return true end
  end
  return false
end
`;

/**
 * `dropReference` notes that an event no longer needs its message, and `dropReferences` writes what was noted. A message without
 * references is removed. A message that only one event ever needed has no count.
 */
export const REFERENCES = `
local refs, dropped = {}, {}
local function dropReference(ref)
  if not dropped[ref] then refs[#refs + 1] = ref end
  dropped[ref] = (dropped[ref] or 0) + 1
end
local function dropReferences()
  if #refs == 0 then return end
  local freed, uncounted = {}, {}
  for i, count in ipairs(redis.call('HMGET', references, unpack(refs))) do
    local ref = refs[i]
    local left = tonumber(count or 1)
    -- A message whose count is damaged stays, because other events may need it.
    if left and left <= dropped[ref] then
      freed[#freed + 1] = ref
      if count then uncounted[#uncounted + 1] = ref end
    elseif left then
      redis.call('HINCRBY', references, ref, -dropped[ref])
    end
  end
  if #freed > 0 then redis.call('HDEL', messages, unpack(freed)) end
  if #uncounted > 0 then redis.call('HDEL', references, unpack(uncounted)) end
end
`;

/**
 * The lanes of a line keep ordered events in order: the first delivery of each user is in the line, and the user's others wait
 * behind it. `line` contains the keys of the lanes, which `laneKeys` looks up by their numbers. `place` is a number or its text.
 * All user names have the same length.
 */
export const LANES = `
local function laneKeys(lane)
  return { first = KEYS[lane.first], behind = KEYS[lane.behind], lanes = KEYS[lane.lanes], heads = KEYS[lane.heads] }
end
local function laneMember(user, score, id) return user .. string.format('%025.10f', score) .. id end
local function userIn(member) return string.sub(member, 1, ${USER_KEY_LENGTH}) end
local function putHead(line, user, id, place)
  redis.call('HSET', line.heads, user, id)
  redis.call('ZADD', line.first, place, id)
end
local function enterLane(line, user, id, place)
  if redis.call('HEXISTS', line.heads, user) == 0 then
    putHead(line, user, id, place)
    return true
  end
  redis.call('ZADD', line.behind, place, id)
  redis.call('ZADD', line.lanes, 0, laneMember(user, place, id))
  return false
end
local function leaveBehind(line, user, id)
  local place = redis.call('ZSCORE', line.behind, id)
  if not place then return end
  redis.call('ZREM', line.behind, id)
  redis.call('ZREM', line.lanes, laneMember(user, place, id))
end
local function nextInLane(line, user)
  local member = redis.call('ZRANGEBYLEX', line.lanes, '[' .. user .. '0', '(' .. user .. ':', 'LIMIT', 0, 1)[1]
  if not member then
    redis.call('HDEL', line.heads, user)
    return
  end
  local id, place = string.sub(member, #user + 26), string.sub(member, #user + 1, #user + 25)
  putHead(line, user, id, place)
  redis.call('ZREM', line.lanes, member)
  redis.call('ZREM', line.behind, id)
  return id, tonumber(place)
end
local function leaveLane(line, user, id)
  if redis.call('HGET', line.heads, user) ~= id then return leaveBehind(line, user, id) end
  -- It may have entered the line earlier in this same script.
  redis.call('ZREM', line.first, id)
  return nextInLane(line, user)
end
`;
