import type { QueueKey } from '../event-store.js';
import { Script } from './redis-client.js';

/**
 * Lists a sorted set from the first entry after a score and id. That entry itself need not exist.
 *
 * KEYS: the sorted set.
 *
 * ARGV: the score, the id, the most entries.
 *
 * Returns ids and scores by turns.
 *
 * Members of one score are in the order of their bytes, and there may be very many, so a binary search finds the
 * position. Lua's own string comparison depends on the locale and does not match that order.
 */
export const LIST_AFTER = new Script(`
local function follows(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = string.byte(a, i), string.byte(b, i)
    if x ~= y then return x > y end
  end
  return #a > #b
end
local low = redis.call('ZCOUNT', KEYS[1], '-inf', '(' .. ARGV[1])
local high = low + redis.call('ZCOUNT', KEYS[1], ARGV[1], ARGV[1])
while low < high do
  local middle = math.floor((low + high) / 2)
  if follows(redis.call('ZRANGE', KEYS[1], middle, middle)[1], ARGV[2]) then high = middle else low = middle + 1 end
end
return redis.call('ZRANGE', KEYS[1], low, low + ARGV[3] - 1, 'WITHSCORES')
`);

/** Reads the members and scores that a range WITHSCORES returns by turns. */
export function queueKeysIn(answer: unknown): QueueKey[] {
  const flat = Array.isArray(answer) ? (answer as string[]) : [];
  const keys: QueueKey[] = [];
  for (let index = 0; index + 1 < flat.length; index += 2) {
    keys.push({ id: flat[index] ?? '', at: Number(flat[index + 1]) });
  }
  return keys;
}
