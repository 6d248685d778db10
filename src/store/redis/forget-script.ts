import { BYTES, LEAVE_FIRST, RELEASE, TAKE } from './lua.js';
import { Script } from './redis-client.js';

/**
 * Forgets events that had not been tried, as what most deliveries come to: each unless it is something else by now.
 *
 * ARGV: for each group of events of the same URLs: those as their texts have them, how many lines, the field of the bytes of each, how
 * many events, and for each its id and its ref. KEYS: messages, holders; for each group its events and counts, and for each line its
 * claims and index. Gives the places of those that are something else.
 *
 * What only removes comes first: where memory is used up, Redis refuses a script whose first write needs more, and none that
 * has written. So deliveries end there too, which is what makes room.
 */
export const FORGET = new Script(`
${TAKE}
${BYTES}
${RELEASE}
${LEAVE_FIRST}
local others, place, last, sums = {}, 0, #ARGV, {}
while at < last do
  local events, counts, tail = nextKey(), nextKey(), '",' .. take() .. ']'
  local claimed, index, fields = {}, {}, {}
  for l = 1, number() do claimed[l], index[l], fields[l] = nextKey(), nextKey(), take() end
  local ids, held = {}, {}
  for i = 1, number() do ids[i], held[i] = take(), take() end
  local done, doneRefs, isDone = {}, {}, {}
  for i, event in ipairs(redis.call('HMGET', events, unpack(ids))) do
    place = place + 1
    local id, ref = ids[i], held[i]
    if event == '["' .. ref .. tail and not isDone[id] then
      isDone[id] = true
      done[#done + 1] = id
      doneRefs[#done] = ref
      letGo(ref)
    else
      others[#others + 1] = place
    end
  end
  if #done > 0 then
    redis.call('HDEL', events, unpack(done))
    for l, field in ipairs(fields) do
      local bytes = leaveFirst(claimed[l], index[l], done, function(i)
        local record = redis.call('HGET', KEYS[1], doneRefs[i])
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
