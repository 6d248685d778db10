import { BYTES, LEAVE_FIRST, RELEASE, STANDING, TAKE } from './lua.js';
import { Script } from './redis-client.js';

/**
 * Forgets events that had not been tried, as what most deliveries come to: each unless it is something else by now.
 *
 * ARGV: for each group of events of the same URLs: the text they all have, or nothing where they are implied, how many lines, the field of
 * the bytes of each, how many events, and the id of each, by which its message is known as well. KEYS: messages, holders; for each group its
 * events and counts, and for each line its claims and index. Gives the places of those that are something else.
 *
 * What only removes comes first: where memory is used up, Redis refuses a script whose first write needs more, and none that
 * has written. So deliveries end there too, which is what makes room.
 */
export const FORGET = new Script(`
${TAKE}
${BYTES}
${RELEASE}
${LEAVE_FIRST}
${STANDING}
local others, place, last, sums = {}, 0, #ARGV, {}
while at < last do
  local events, counts, was = nextKey(), nextKey(), take()
  local claimed, index, fields = {}, {}, {}
  for l = 1, number() do claimed[l], index[l], fields[l] = nextKey(), nextKey(), take() end
  local ids = {}
  for i = 1, number() do ids[i] = take() end
  local isImplied = was == ''
  local there = isImplied and standing(claimed[1], index[1], ids)
  local texts = redis.call('EXISTS', events) == 1 and redis.call('HMGET', events, unpack(ids)) or {}
  local done, isDone = {}, {}
  for i, id in ipairs(ids) do
    place = place + 1
    local isAsItWas = isImplied and there[i] and not texts[i] or texts[i] == was
    if isAsItWas and not isDone[id] then
      isDone[id] = true
      done[#done + 1] = id
      letGo(id)
    else
      others[#others + 1] = place
    end
  end
  if #done > 0 then
    if not isImplied then redis.call('HDEL', events, unpack(done)) end
    for l, field in ipairs(fields) do
      local bytes = leaveFirst(claimed[l], index[l], done, function(i)
        local record = redis.call('HGET', KEYS[1], done[i])
        return record and bodyBytes(record) or 0
      end)
      if bytes > 0 then sums[#sums + 1] = { counts, field, bytes } end
    end
  end
end
release(KEYS[1], KEYS[2])
for _, sum in ipairs(sums) do
  if redis.call('HINCRBY', sum[1], sum[2], -sum[3]) == 0 then redis.call('HDEL', sum[1], sum[2]) end
end
return others
`);
