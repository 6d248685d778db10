import { LEAVE_FIRST, RELEASE, STANDING, TAKE } from './lua.js';
import { Script } from './redis-client.js';

/**
 * Removes untried events, which is how most deliveries end. An event that has changed meanwhile stays.
 *
 * KEYS:
 * - messages, holders, due, place
 * - for each group: events, counts
 * - for each line of a group: first, timed
 *
 * ARGV, for each group of events that go to the same URLs:
 * - the record they all have, or an empty string if they have none of their own
 * - the number of lines, and for each the field of its byte count
 * - the number of events, and for each its id, which is also the key of its message, and its bytes
 *
 * Returns the numbers of the events that have changed, counted from 1 through all groups.
 *
 * The script removes before it adds: when memory is used up, Redis rejects a script whose first write needs more, but
 * not one that has already written. So deliveries still end, which frees memory.
 */
export const FORGET = new Script(`
${TAKE}
${RELEASE}
${LEAVE_FIRST}
${STANDING}
local others, place, last, sums = {}, 0, #ARGV, {}
while at < last do
  local events, counts, was = nextKey(), nextKey(), take()
  local first, timed, fields = {}, {}, {}
  for l = 1, number() do first[l], timed[l], fields[l] = nextKey(), nextKey(), take() end
  local ids, bytes = {}, {}
  for i = 1, number() do ids[i], bytes[i] = take(), number() end
  local isImplied = was == ''
  local there = isImplied and standing(timed[1], first[1], ids)
  local texts = redis.call('EXISTS', events) == 1 and redis.call('HMGET', events, unpack(ids)) or {}
  local done, isDone, sum = {}, {}, 0
  for i, id in ipairs(ids) do
    place = place + 1
    local isAsItWas = isImplied and there[i] and not texts[i] or texts[i] == was
    if isAsItWas and not isDone[id] then
      isDone[id] = true
      done[#done + 1] = id
      sum = sum + bytes[i]
      letGo(id)
    else
      others[#others + 1] = place
    end
  end
  if #done > 0 then
    if not isImplied then redis.call('HDEL', events, unpack(done)) end
    for l, field in ipairs(fields) do
      leaveFirst(first[l], timed[l], done)
      sums[#sums + 1] = { counts, field, sum }
    end
  end
end
release(KEYS[1], KEYS[2])
for _, sum in ipairs(sums) do
  if redis.call('HINCRBY', sum[1], sum[2], -sum[3]) == 0 then redis.call('HDEL', sum[1], sum[2]) end
end
return others
`);
