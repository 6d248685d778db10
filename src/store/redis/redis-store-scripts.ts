import type { QueueKey } from '../event-store.js';
import { Script } from './redis-client.js';

/**
 * Lists an index from the key after (at, id), which need not be there itself.
 *
 * KEYS: index. ARGV: at, id, limit. Gives ids and scores by turns.
 *
 * Members of one score are in order of their bytes, and there may be very many of them, so the position is looked for by
 * halves. Lua's own comparison of strings goes by the locale and is no use here.
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

/** What a range with scores gives: members and scores by turns. */
export function queueKeysIn(answer: unknown): QueueKey[] {
  const flat = Array.isArray(answer) ? (answer as string[]) : [];
  const keys: QueueKey[] = [];
  for (let index = 0; index + 1 < flat.length; index += 2) {
    keys.push({ id: flat[index] ?? '', at: Number(flat[index + 1]) });
  }
  return keys;
}
