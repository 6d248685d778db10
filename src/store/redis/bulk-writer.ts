import { KeyNumbers } from './key-numbers.js';
import type { Messages } from './messages.js';
import { type RedisClient, Script, type ScriptArgument } from './redis-client.js';
import type { Line } from './redis-keys.js';
import { TurnBatch } from './turn-batch.js';

/** An event that is to stand in the place of what it was. */
export interface Replacement {
  readonly id: string;
  readonly keys: { readonly events: string; readonly bodies: string; readonly counts: string };
  /** The event as it was read. */
  readonly was: string;
  /** Its message, which it lets go of when it is forgotten; undefined where it has a body of its own. */
  readonly ref: string | undefined;
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
 * KEYS: messages, holders, and whatever the arguments name by its number. ARGV: how many events; then for each: the numbers of its
 * events, bodies and counts, its id, its ref, what it was, what it is (nothing: forgotten), how many indexes it leaves, their numbers, how many it enters, their
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
  local change = { events = key(), bodies = key(), counts = key(), id = take(), ref = take() }
  change.was, change.is = take(), take()
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
local refs, released = {}, {}
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
      if change.ref == '' then
        add(bodies, change.bodies, change.id)
      else
        if not released[change.ref] then refs[#refs + 1] = change.ref end
        released[change.ref] = (released[change.ref] or 0) + 1
      end
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
if #refs > 0 then
  local freed, uncounted = {}, {}
  for i, held in ipairs(redis.call('HMGET', KEYS[2], unpack(refs))) do
    local ref = refs[i]
    if tonumber(held or 1) <= released[ref] then
      freed[#freed + 1] = ref
      if held then uncounted[#uncounted + 1] = ref end
    else
      redis.call('HINCRBY', KEYS[2], ref, -released[ref])
    end
  end
  if #freed > 0 then redis.call('HDEL', KEYS[1], unpack(freed)) end
  if #uncounted > 0 then redis.call('HDEL', KEYS[2], unpack(uncounted)) end
end
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

  constructor(link: RedisClient, messages: Messages) {
    this.#turn = new TurnBatch(MOST, async (replacements) => {
      const { keys, args } = writingOf(replacements, new KeyNumbers([messages.records, messages.holders]));
      const replaced = await link.run(REPLACE, keys, args);
      return (replaced as number[]).map((each) => each === 1);
    });
  }

  /** Says whether the event was still as it was read. */
  replace(replacement: Replacement): Promise<boolean> {
    return this.#turn.ask(replacement);
  }
}

function writingOf(replacements: readonly Replacement[], numbers: KeyNumbers) {
  const args: ScriptArgument[] = [replacements.length];
  for (const { id, keys, ref = '', was, is = '', leaves, enters, counts } of replacements) {
    args.push(numbers.of(keys.events), numbers.of(keys.bodies), numbers.of(keys.counts), id, ref, was, is);
    args.push(leaves.length);
    for (const key of leaves) args.push(numbers.of(key));
    args.push(enters.length);
    for (const { key, at } of enters) args.push(numbers.of(key), at);
    args.push(counts.length / 2, ...counts);
  }
  return { keys: numbers.all, args };
}
