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
  /** Fields of the counts and what is added to each. */
  readonly counts: readonly (readonly [field: string, change: number])[];
}

/** The most that one script replaces: Redis does nothing else meanwhile. */
const MOST = 200;

/**
 * Puts events in the place of what they were, each unless it is something else by now. Most deliveries end alike, and every
 * argument costs Redis about as much as a command: so what several events share is said once.
 *
 * KEYS: messages, holders, and whatever the arguments name by its number. ARGV: for each group of events: the numbers of their events,
 * bodies and counts, whether they are forgotten, how many indexes they leave, their numbers, how many they enter, their
 * numbers, how many counts change, their fields, how many events; for each of those its id, its ref, what it was, unless it
 * is forgotten what it is, a score for each index it enters, by how much each count changes. Gives for each event 1 where that
 * was done, or 0.
 *
 * What only removes comes first: where memory is used up, Redis refuses a script whose first write needs more, and none that
 * has written. So deliveries end there too, which is what makes room.
 */
const REPLACE = new Script(`
local at, last = 0, #ARGV
local function take() at = at + 1 return ARGV[at] end
local function keys()
  local list = {}
  for i = 1, tonumber(take()) do list[i] = KEYS[tonumber(take())] end
  return list
end
local function append(groups, key, a, b)
  local group = groups[key]
  if not group then group = {} groups[key] = group end
  group[#group + 1] = a
  if b then group[#group + 1] = b end
end
local function each(command, groups)
  for key, group in pairs(groups) do redis.call(command, key, unpack(group)) end
end

local answer, taken, left, forgotten, set, entered, counted, refs, released = {}, {}, {}, {}, {}, {}, {}, {}, {}
local function group()
  local events, bodies, counts = KEYS[tonumber(take())], KEYS[tonumber(take())], KEYS[tonumber(take())]
  local isForgotten = take() == '1'
  local leaves, enters, fields = keys(), keys(), {}
  for i = 1, tonumber(take()) do fields[i] = take() end
  local size = tonumber(take())
  local width = 3 + (isForgotten and 0 or 1) + #enters + #fields
  local ids = {}
  for i = 1, size do ids[i] = ARGV[at + 1 + (i - 1) * width] end
  local texts = redis.call('HMGET', events, unpack(ids))
  local done = taken[events]
  if not done then done = {} taken[events] = done end
  local sums = counted[counts]
  if not sums then sums = {} counted[counts] = sums end
  for i = 1, size do
    local id, ref, was = take(), take(), take()
    if texts[i] ~= was or done[id] then
      answer[#answer + 1] = 0
      at = at + width - 3
    else
      answer[#answer + 1] = 1
      done[id] = true
      for j = 1, #leaves do append(left, leaves[j], id) end
      if not isForgotten then
        append(set, events, id, take())
      else
        append(forgotten, events, id)
        if ref == '' then
          append(forgotten, bodies, id)
        else
          if not released[ref] then refs[#refs + 1] = ref end
          released[ref] = (released[ref] or 0) + 1
        end
      end
      for j = 1, #enters do append(entered, enters[j], take(), id) end
      for j = 1, #fields do sums[fields[j]] = (sums[fields[j]] or 0) + take() end
    end
  end
end

while at < last do group() end
each('ZREM', left)
each('HDEL', forgotten)
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
return answer
`);

/** Writes what becomes of events: all that is asked for in one turn goes to Redis as one script. */
export class BulkWriter {
  readonly #turn: TurnBatch<Replacement, boolean>;

  constructor(link: RedisClient, messages: Messages) {
    this.#turn = new TurnBatch(MOST, async (replacements) => {
      const { keys, args, order } = writingOf(replacements, new KeyNumbers([messages.records, messages.holders]));
      const done = (await link.run(REPLACE, keys, args)) as number[];
      const answers = new Map(order.map((replacement, index) => [replacement, done[index] === 1]));
      return replacements.map((replacement) => answers.get(replacement) === true);
    });
  }

  /** Says whether the event was still as it was read. */
  replace(replacement: Replacement): Promise<boolean> {
    return this.#turn.ask(replacement);
  }
}

/** @returns the replacements in the order in which the script answers for them as well. */
function writingOf(replacements: readonly Replacement[], numbers: KeyNumbers) {
  const groups = new Map<string, Replacement[]>();
  for (const replacement of replacements) {
    const shape = shapeOf(replacement);
    const group = groups.get(shape);
    if (group === undefined) groups.set(shape, [replacement]);
    else group.push(replacement);
  }
  const args: ScriptArgument[] = [];
  for (const group of groups.values()) {
    const [first] = group;
    if (first === undefined) continue;
    const { keys, is, leaves, enters, counts } = first;
    args.push(numbers.of(keys.events), numbers.of(keys.bodies), numbers.of(keys.counts), is === undefined ? 1 : 0);
    args.push(leaves.length, ...leaves.map((key) => numbers.of(key)));
    args.push(enters.length, ...enters.map(({ key }) => numbers.of(key)));
    args.push(counts.length, ...counts.map(([field]) => field), group.length);
    for (const each of group) addOwn(args, each);
  }
  return { keys: numbers.all, args, order: [...groups.values()].flat() };
}

function addOwn(args: ScriptArgument[], { id, ref = '', was, is, enters, counts }: Replacement): void {
  args.push(id, ref, was);
  if (is !== undefined) args.push(is);
  for (const { at } of enters) args.push(at);
  for (const [, change] of counts) args.push(change);
}

/** What events of one group share. */
const shapeOf = ({ keys, is, leaves, enters, counts }: Replacement): string =>
  [keys.events, is === undefined, ...leaves, '', ...enters.map(({ key }) => key), '', ...counts.map(([f]) => f)].join();
