/** By the clock of Redis, which all processes share. Whole numbers are written out, as Lua would shorten them. */
export const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function text(number) return string.format('%.0f', number) end
`;

/** How a script takes what it is given: one after the other, as a number where it needs one. The first keys it knows by heart. */
export const TAKE = `
local key, at = 4, 0
local function nextKey() key = key + 1 return KEYS[key] end
local function take() at = at + 1 return ARGV[at] end
local function number() at = at + 1 return tonumber(ARGV[at]) end
`;

/**
 * By which ref an event's message is known, by the event's text, or false for an implied event; and how many bytes the body has, by the
 * record of the message: it comes after the record's first line.
 */
export const MESSAGE = `
local function refOf(event, id)
  if not event then return id end
  local ref = string.match(event, '^%["([^"]*)"') or string.match(event, '^{"ref":"([^"]*)"')
  -- A text of another version may say none: it must not keep the records of others from being found.
  return (ref or '') == '' and id or ref
end
local function bodyBytes(record) return #record - string.find(record, '\\n', 1, true) end
`;

/**
 * Notes that a line of an endpoint has something to look at by then, unless it has so earlier. Every script that puts something into a
 * line does so, or nobody would look there; when it is found to be too early, whoever has looked puts it right.
 */
export const COMES_UP = `
local function comesUp(due, line, score) redis.call('ZADD', due, 'LT', score, line) end
`;

/** How far apart places in line are, in ms: a double of this size has room for four times as many. */
export const PLACE_STEP = 1 / 1024;

/**
 * Gives places in line: the time at which a message was accepted, by the clock of its process, and behind every place before it. So first
 * attempts begin in the order in which Redis was given them.
 */
export const PLACES = `
local behind = tonumber(redis.call('GET', KEYS[4]) or 0)
local isPlaced = false
local function exactly(place) return string.format('%.17g', place) end
local function placeFor(time)
  behind = math.max(tonumber(time), behind + ${PLACE_STEP})
  isPlaced = true
  return exactly(behind)
end
local function keepPlace()
  if isPlaced then redis.call('SET', KEYS[4], exactly(behind)) end
end
`;

/**
 * The time by the clock of Redis, for one by the clock of a process that is given with its own: what is within a second of it is the way
 * to Redis, and no difference.
 */
export const SHIFT = `
local function shiftFrom(theirs)
  local shift = now - tonumber(theirs)
  return math.abs(shift) < 1000 and 0 or shift
end
`;

/**
 * Whether events stand in the line of a URL, claimed or not; and at which of several URLs one does, given by turns with their
 * digests. Together with a text that is not there, this is what makes an event implied.
 */
export const STANDING = `
local function standing(timed, first, ids)
  local scores = redis.call('ZMSCORE', timed, unpack(ids))
  for i, id in ipairs(ids) do scores[i] = scores[i] or redis.call('ZSCORE', first, id) end
  return scores
end
local function urlOf(id, beforeFirst, beforeTimed, urls)
  for i = 1, #urls, 2 do
    if standing(beforeTimed .. urls[i], beforeFirst .. urls[i], { id })[1] then return urls[i + 1] end
  end
end
`;

/** Lets go of messages: one that no delivery holds any more is forgotten. */
export const RELEASE = `
local refs, released = {}, {}
local function letGo(ref)
  if not released[ref] then refs[#refs + 1] = ref end
  released[ref] = (released[ref] or 0) + 1
end
local function release(messages, holders)
  if #refs == 0 then return end
  local freed, uncounted = {}, {}
  for i, held in ipairs(redis.call('HMGET', holders, unpack(refs))) do
    local ref = refs[i]
    if tonumber(held or 1) <= released[ref] then
      freed[#freed + 1] = ref
      if held then uncounted[#uncounted + 1] = ref end
    else
      redis.call('HINCRBY', holders, ref, -released[ref])
    end
  end
  if #freed > 0 then redis.call('HDEL', messages, unpack(freed)) end
  if #uncounted > 0 then redis.call('HDEL', holders, unpack(uncounted)) end
end
`;

/**
 * The lanes of a line: of the deliveries of ordered events, the first of each user is in line, and the others wait behind it. A line is
 * given with the keys of its parts, and a place as a number or its text. All users have names of one length.
 */
export const LANES = `
local function laneMember(user, place, id) return user .. string.format('%025.10f', place) .. id end
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
  redis.call('ZREM', line.lanes, member)
  redis.call('ZREM', line.behind, id)
  putHead(line, user, id, place)
  return id, tonumber(place)
end
local function leaveLane(line, user, id)
  if redis.call('HGET', line.heads, user) ~= id then return leaveBehind(line, user, id) end
  -- It may have come in line in this very script.
  redis.call('ZREM', line.first, id)
  return nextInLane(line, user)
end
`;

/** Takes events that wait for their first attempt out of a line, claimed or not. */
export const LEAVE_FIRST = `
local function leaveFirst(first, timed, ids)
  if redis.call('ZREM', timed, unpack(ids)) < #ids then redis.call('ZREM', first, unpack(ids)) end
end
`;
