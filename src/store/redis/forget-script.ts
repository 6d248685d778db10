import { LEAVE_FIRST, RELEASE, STANDING, TAKE } from './lua.js';
import { Script } from './redis-client.js';

/**
 * Forgets events that had not been tried, as what most deliveries come to: each unless it is something else by now.
 *
 * ARGV: for each group of events of the same URLs: the text they all have, or nothing where they are implied, how many lines, the field of
 * the bytes of each, how many events, and the id of each, by which its message is known as well, and its bytes. KEYS: messages, holders, due;
 * for each group its events and counts, and for each line what was never tried and what has a time. Gives the places of those that are
 * something else.
 *
 * What only removes comes first: where memory is used up, Redis refuses a script whose first write needs more, and none that
 * has written. So deliveries end there too, which is what makes room.
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
