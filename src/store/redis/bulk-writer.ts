import { type RedisClient, Script, type ScriptArgument } from './redis-client.js';
import type { Line } from './redis-keys.js';
import { TurnBatch } from './turn-batch.js';

/** An event that is to stand in the place of what it was. */
export interface Replacement {
  readonly id: string;
  readonly keys: { readonly events: string; readonly bodies: string; readonly counts: string };
  /** The event as it was read. */
  readonly was: string;
  /** Undefined: it is forgotten, with its body. */
  readonly is: string | undefined;
  /** The indexes it leaves. */
  readonly leaves: readonly string[];
  /** The indexes it enters. */
  readonly enters: readonly Line[];
  /** Fields of the counts and what is added to each, by turns. */
  readonly counts: readonly (string | number)[];
}

/** The most that one script replaces: Redis does nothing else meanwhile. */
const MOST = 200;

/**
 * Puts events in the place of what they were, each unless it is something else by now.
 *
 * KEYS: whatever the arguments name by its number. ARGV: how many events; then for each: the numbers of its events, bodies and counts,
 * its id, what it was, what it is (nothing: forgotten), how many indexes it leaves, their numbers, how many it enters, their
 * numbers and scores by turns, how many counts change, and by turns which and by how much. Gives 1 or 0 for each.
 *
 * What only removes comes first: where memory is used up, Redis refuses a script whose first write needs more, and none that
 * has written. So deliveries end there too, which is what makes room.
 */
const REPLACE = new Script(`
local at = 0
local function take() at = at + 1 return ARGV[at] end
local function key() return KEYS[tonumber(take())] end
local function add(groups, key, a, b)
  local group = groups[key]
  if not group then group = {} groups[key] = group end
  group[#group + 1] = a
  if b then group[#group + 1] = b end
end
local function each(command, groups)
  for key, group in pairs(groups) do redis.call(command, key, unpack(group)) end
end

local changes, ids, replaced, isTaken = {}, {}, {}, {}
for i = 1, tonumber(take()) do
  local change = { events = key(), bodies = key(), counts = key(), id = take(), was = take(), is = take() }
  change.leaves, change.enters, change.adds = {}, {}, {}
  for j = 1, tonumber(take()) do change.leaves[j] = key() end
  for j = 1, tonumber(take()) do change.enters[j] = { key(), take() } end
  for j = 1, tonumber(take()) do change.adds[j] = { take(), tonumber(take()) } end
  changes[i] = change
  add(ids, change.events, change.id)
end
local read = {}
for events, group in pairs(ids) do
  local texts = redis.call('HMGET', events, unpack(group))
  read[events] = { texts = texts, next = 0 }
end

local gone, bodies, left, set, entered, counted = {}, {}, {}, {}, {}, {}
for i, change in ipairs(changes) do
  local found = read[change.events]
  found.next = found.next + 1
  local mark = change.events .. ' ' .. change.id
  if found.texts[found.next] ~= change.was or isTaken[mark] then
    replaced[i] = 0
  else
    replaced[i] = 1
    isTaken[mark] = true
    for _, index in ipairs(change.leaves) do add(left, index, change.id) end
    if change.is == '' then
      add(gone, change.events, change.id)
      add(bodies, change.bodies, change.id)
    else
      add(set, change.events, change.id, change.is)
    end
    for _, line in ipairs(change.enters) do add(entered, line[1], line[2], change.id) end
    local sums = counted[change.counts]
    if not sums then sums = {} counted[change.counts] = sums end
    for _, sum in ipairs(change.adds) do sums[sum[1]] = (sums[sum[1]] or 0) + sum[2] end
  end
end
each('ZREM', left)
each('HDEL', gone)
each('HDEL', bodies)
each('HSET', set)
each('ZADD', entered)
for counts, sums in pairs(counted) do
  for field, sum in pairs(sums) do
    if sum ~= 0 and redis.call('HINCRBY', counts, field, sum) == 0 then redis.call('HDEL', counts, field) end
  end
end
return replaced
`);

/** Writes what becomes of events: all that is asked for in one turn goes to Redis as one script. */
export class BulkWriter {
  readonly #turn: TurnBatch<Replacement, boolean>;

  constructor(link: RedisClient) {
    this.#turn = new TurnBatch(MOST, async (replacements) => {
      const { keys, args } = writingOf(replacements);
      const replaced = await link.run(REPLACE, keys, args);
      return (replaced as number[]).map((each) => each === 1);
    });
  }

  /** Says whether the event was still as it was read. */
  replace(replacement: Replacement): Promise<boolean> {
    return this.#turn.ask(replacement);
  }
}

/** What the script is given. Long keys go over the wire once each. */
function writingOf(replacements: readonly Replacement[]): { keys: string[]; args: ScriptArgument[] } {
  const numbers = new Map<string, number>();
  const numberOf = (key: string): number => {
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, numbers.size + 1);
    return numbers.size;
  };
  const args: ScriptArgument[] = [replacements.length];
  for (const { id, keys, was, is = '', leaves, enters, counts } of replacements) {
    args.push(numberOf(keys.events), numberOf(keys.bodies), numberOf(keys.counts), id, was, is);
    args.push(leaves.length, ...leaves.map(numberOf));
    args.push(enters.length, ...enters.flatMap(({ key, at }) => [numberOf(key), at]));
    args.push(counts.length / 2, ...counts);
  }
  return { keys: [...numbers.keys()], args };
}
