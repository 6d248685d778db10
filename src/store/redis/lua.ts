/** By the clock of Redis, which all processes share. Whole numbers are written out, as Lua would shorten them. */
export const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function text(number) return string.format('%.0f', number) end
`;

/** How a script takes what it is given: one after the other, as a number where it needs one. The first two keys it knows by heart. */
export const TAKE = `
local key, at = 2, 0
local function nextKey() key = key + 1 return KEYS[key] end
local function take() at = at + 1 return ARGV[at] end
local function number() at = at + 1 return tonumber(ARGV[at]) end
`;

/**
 * By which ref an event's message is known, and how many bytes its body has, by the event's text, or false for an implied event, and the
 * record of the message. The body comes after the record's first line.
 */
export const BYTES = `
local function refOf(event, id)
  if not event then return id end
  local ref = string.match(event, '^%["([^"]*)"') or string.match(event, '^{"ref":"([^"]*)"')
  return ref == '' and id or ref
end
local function bodyBytes(record) return #record - string.find(record, '\\n', 1, true) end
local function bytesOf(event, record)
  if event and string.byte(event) ~= 91 then return tonumber(string.match(event, '"bytes":(%d+)') or 0) end
  return record and bodyBytes(record) or 0
end
local function bytesWaiting(events, messages, id)
  local event = redis.call('HGET', events, id)
  local isShort = not event or string.byte(event) == 91
  return bytesOf(event, isShort and redis.call('HGET', messages, refOf(event, id)))
end
`;

/**
 * Whether events stand among the first attempts at a URL, claimed or not; and at which of several URLs one does, given by turns with their
 * digests. Together with a text that is not there, this is what makes an event implied.
 */
export const STANDING = `
local function standing(claimed, index, ids)
  local scores = redis.call('ZMSCORE', claimed, unpack(ids))
  for i, id in ipairs(ids) do scores[i] = scores[i] or redis.call('ZSCORE', index, id) end
  return scores
end
local function urlOf(id, index, claimed, urls)
  for i = 1, #urls, 2 do
    if standing(claimed .. urls[i], index .. urls[i], { id })[1] then return urls[i + 1] end
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
 * Takes events from the first attempts at a URL, claimed or not. Gives how many bytes of what was not claimed, which is what is counted.
 */
export const LEAVE_FIRST = `
local function leaveFirst(claimed, index, ids, bytesAt)
  if redis.call('ZREM', claimed, unpack(ids)) == #ids then return 0 end
  local sum = 0
  for i, id in ipairs(ids) do
    if redis.call('ZREM', index, id) == 1 then sum = sum + bytesAt(i) end
  end
  return sum
end
`;
