import type { StoredEvent } from '../../delivery/completion-rule.js';
import { NOW } from './claims.js';
import type { FirstAttempts } from './first-attempts.js';
import { KeyNumbers } from './key-numbers.js';
import type { Messages } from './messages.js';
import { type RedisClient, Script, type ScriptArgument } from './redis-client.js';
import type { RedisCounts } from './redis-counts.js';
import type { Line, RedisKeys } from './redis-keys.js';
import { encodeRecord, type Read, textOf } from './stored-text.js';

/** A message that comes in. */
export interface NewMessage<S extends ReceivingStore = ReceivingStore> {
  /** The key under which its id is remembered, where it has one. */
  readonly seen: string | undefined;
  readonly body: Uint8Array;
  readonly deliveries: readonly NewDelivery<S>[];
}

/** What is asked of the store of a destination. */
export interface ReceivingStore {
  readonly keys: RedisKeys;
  readonly counts: RedisCounts;
  firstAttempts(url: string): FirstAttempts;
  /** The event stands in the store like that, and this process has claimed it. */
  note(read: Read): void;
  /** Those of the event's URLs that are to be written down. */
  unnamedUrls(event: StoredEvent): readonly string[];
  /** They are written down. */
  nameUrls(urls: readonly string[]): void;
}

export interface NewDelivery<S extends ReceivingStore = ReceivingStore> {
  readonly store: S;
  readonly event: StoredEvent;
  /** Whether it is left out where the destination has an event of that id; otherwise nothing of the message is taken in then. */
  readonly isLoose: boolean;
}

/**
 * What became of a message: for each delivery whether it is new; or the id was seen before, or is being stored by a process
 * of the version before, or meets other events.
 */
export type Outcome = readonly boolean[] | 'known' | 'claimed' | 'meets';

export interface IntakeSettings {
  /** For how long an id is remembered, in ms. */
  readonly keepMs: number;
  /** For how long what goes out at once is claimed, in ms. */
  readonly leaseMs: number;
  /** Stands before the keys by which processes of the version before say that they are there. */
  readonly presence: string;
}

/** About how many deliveries one script takes in: Redis does nothing else meanwhile. */
const MOST = 256;

/**
 * Takes in messages, each with all its deliveries or not at all. A delivery for which the caller has room, and before which none
 * waits, is claimed for it from the beginning.
 *
 * KEYS: messages, holders, and whatever the arguments name by its number. ARGV: lease and memory of ids in ms, what stands
 * before presences, how many messages; for each the number of its id's key (0: none), its ref, its record, how many
 * deliveries; for each of those the numbers of events and counts, its id, its text, whether it is loose, how many lines; for each of those
 * the numbers of the index and of the claims (0: not wanted), and the score; how many counts change, and by turns which and by
 * how much. Last: how many URLs, and for each the number of their hash, its digest and its text.
 *
 * Gives when leases end, and for each message `k` (known), `c` (claimed), `x` (meets others), or `t` and for each delivery `-`, or `n`
 * and for each line whether it is claimed.
 */
const TAKE_IN = new Script(`
${NOW}
local at = 0
local function take() at = at + 1 return ARGV[at] end
local function number() return tonumber(take()) end
local function add(groups, key, a, b)
  local group = groups[key]
  if not group then group = {} groups[key] = group end
  group[#group + 1] = a
  if b then group[#group + 1] = b end
end
local function each(command, groups)
  for key, group in pairs(groups) do redis.call(command, key, unpack(group)) end
end

local deadline, keepMs, presence = text(now + take()), take(), take()
local messages, ids = {}, {}
for i = 1, number() do
  local message = { seen = KEYS[number()], ref = take(), record = take(), deliveries = {} }
  for j = 1, number() do
    local delivery = { events = KEYS[number()], counts = KEYS[number()], id = take(), text = take(), isLoose = take() == '1' }
    delivery.lines, delivery.adds = {}, {}
    for l = 1, number() do delivery.lines[l] = { KEYS[number()], KEYS[number()], take() } end
    for l = 1, number() do delivery.adds[l] = { take(), number() } end
    message.deliveries[j] = delivery
    add(ids, delivery.events, delivery.id)
  end
  messages[i] = message
end
local there = {}
for events, group in pairs(ids) do
  local found = redis.call('HMGET', events, unpack(group))
  there[events] = {}
  for j, id in ipairs(group) do there[events][id] = found[j] end
end

local function statusOf(message)
  if message.seen then
    local holder = redis.call('GET', message.seen)
    if holder == '1' then return 'k' end
    if holder and redis.call('EXISTS', presence .. holder) == 1 then return 'c' end
  end
  for _, delivery in ipairs(message.deliveries) do
    if there[delivery.events][delivery.id] and not delivery.isLoose then return 'x' end
  end
  return 't'
end

local records, holders, events, lines, counted, isEmpty = {}, {}, {}, {}, {}, {}
local answer = { deadline }
for i, message in ipairs(messages) do
  local status = statusOf(message)
  if status == 't' then
    if message.seen then redis.call('SET', message.seen, '1', 'PX', keepMs) end
    local held = 0
    for _, delivery in ipairs(message.deliveries) do
      if there[delivery.events][delivery.id] then
        status = status .. '-'
      else
        status = status .. 'n'
        held = held + 1
        there[delivery.events][delivery.id] = true
        add(events, delivery.events, delivery.id, delivery.text)
        for _, line in ipairs(delivery.lines) do
          local index, claims = line[1], line[2]
          if claims then
            if isEmpty[index] == nil then isEmpty[index] = redis.call('EXISTS', index) == 0 end
            if not isEmpty[index] then claims = nil end
          end
          if claims then add(lines, claims, deadline, delivery.id) else add(lines, index, line[3], delivery.id) end
          status = status .. (claims and '1' or '0')
        end
        local sums = counted[delivery.counts]
        if not sums then sums = {} counted[delivery.counts] = sums end
        for _, sum in ipairs(delivery.adds) do sums[sum[1]] = (sums[sum[1]] or 0) + sum[2] end
      end
    end
    if held > 0 then add(records, KEYS[1], message.ref, message.record) end
    if held > 1 then add(holders, KEYS[2], message.ref, held) end
  end
  answer[i + 1] = status
end
each('HSET', records)
each('HSET', holders)
each('HSET', events)
each('ZADD', lines)
for counts, sums in pairs(counted) do
  for field, sum in pairs(sums) do redis.call('HINCRBY', counts, field, sum) end
end
for i = 1, number() do redis.call('HSETNX', KEYS[number()], take(), take()) end
return answer
`);

interface Asked {
  readonly message: NewMessage;
  readonly ref: string;
  readonly deliveries: readonly AskedDelivery[];
}

interface AskedDelivery {
  readonly delivery: NewDelivery;
  readonly read: Read;
  readonly lines: readonly Line[];
  /** The first attempts that are to be claimed, room for them being kept; in the place of a line that is not, undefined. */
  readonly wanted: readonly (FirstAttempts | undefined)[];
  /** The URLs that are written down. */
  readonly named: readonly string[];
}

/** Takes messages in: one script for many, and each in it once. */
export class IntakeWriter {
  readonly #link: RedisClient;
  readonly #messages: Messages;
  readonly #settings: IntakeSettings;

  constructor(link: RedisClient, messages: Messages, settings: IntakeSettings) {
    this.#link = link;
    this.#messages = messages;
    this.#settings = settings;
  }

  async take(messages: readonly NewMessage[]): Promise<Outcome[]> {
    return (await Promise.all(slicesOf(messages).map((slice) => this.#takeSlice(slice)))).flat();
  }

  async #takeSlice(messages: readonly NewMessage[]): Promise<Outcome[]> {
    const asked = messages.map((message) => this.#ask(message));
    try {
      const { keys, args } = this.#writingOf(asked);
      // As the script gives it.
      const [until, ...outcomes] = (await this.#link.run(TAKE_IN, keys, args)) as [string, ...string[]];
      return asked.map((each, index) => settle(each, outcomes[index] ?? '', until));
    } catch (error) {
      for (const each of asked) settle(each, '', '');
      throw error;
    }
  }

  #ask(message: NewMessage): Asked {
    const ref = this.#messages.newRef();
    return { message, ref, deliveries: message.deliveries.map((delivery) => askFor(delivery, message, ref)) };
  }

  #writingOf(asked: readonly Asked[]): { keys: readonly string[]; args: ScriptArgument[] } {
    const { leaseMs, keepMs, presence } = this.#settings;
    const keys = new KeyNumbers([this.#messages.records, this.#messages.holders]);
    const args: ScriptArgument[] = [leaseMs, keepMs, presence, asked.length];
    const urls: ScriptArgument[] = [];
    for (const { message, ref, deliveries } of asked) {
      const [first] = message.deliveries;
      const record = first === undefined ? '' : encodeRecord(first.event, message.body);
      args.push(keys.of(message.seen), ref, record, deliveries.length);
      for (const each of deliveries) {
        addDelivery(args, keys, each);
        const { store } = each.delivery;
        for (const url of each.named) urls.push(keys.of(store.keys.urls), store.keys.digest(url), url);
      }
    }
    return { keys: keys.all, args: [...args, urls.length / 3, ...urls] };
  }
}

function askFor(delivery: NewDelivery, message: NewMessage, ref: string): AskedDelivery {
  const { store, event } = delivery;
  const text = textOf(event, ref, sharesRecord(event, message) ? message.body.length : undefined);
  const lines = store.keys.linesOf(event);
  const wanted = lines.map(({ url }) => {
    const firsts = url === undefined ? undefined : store.firstAttempts(url);
    return firsts?.reserve() === true ? firsts : undefined;
  });
  return { delivery, read: { event, ref, text }, lines, wanted, named: store.unnamedUrls(event) };
}

function addDelivery(args: ScriptArgument[], keys: KeyNumbers, { delivery, read, lines, wanted }: AskedDelivery): void {
  const { store, event, isLoose } = delivery;
  args.push(keys.of(store.keys.events), keys.of(store.keys.counts), event.id, read.text, isLoose ? 1 : 0);
  args.push(lines.length);
  for (const [index, { key, claimed, at }] of lines.entries()) {
    args.push(keys.of(key), wanted[index] === undefined ? 0 : keys.of(claimed), at);
  }
  const changes = store.counts.changes(undefined, event);
  args.push(changes.length, ...changes.flat());
}

/** Tells the stores what was claimed for them, and lets go of the room that was kept for all else. */
function settle({ deliveries }: Asked, outcome: string, until: string): Outcome {
  const [status, ...flags] = outcome;
  const isNew = deliveries.map((each) => settleDelivery(each, flags, until));
  if (status === 't') return isNew;
  return status === 'k' ? 'known' : status === 'c' ? 'claimed' : 'meets';
}

/** Takes the delivery's own from the beginning of the flags, and says whether it is new. */
function settleDelivery({ delivery, read, lines, wanted, named }: AskedDelivery, flags: string[], until: string) {
  const isNew = flags.shift() === 'n';
  const claimed = isNew ? flags.splice(0, lines.length) : [];
  for (const [index, firsts] of wanted.entries()) {
    const isClaimed = claimed[index] === '1';
    firsts?.settle(isClaimed ? { id: read.event.id, at: lines[index]?.at ?? 0, until } : undefined);
  }
  if (claimed.includes('1')) delivery.store.note(read);
  if (isNew) delivery.store.nameUrls(named);
  return isNew;
}

/** Whether the record of the message, which is that of its first event, says of the event what it says of itself. */
function sharesRecord(event: StoredEvent, { deliveries: [first] }: NewMessage): boolean {
  const shared = ['type', 'acceptedAt', 'source', 'trace'] as const;
  return first !== undefined && shared.every((field) => event[field] === first.event[field]);
}

function slicesOf(messages: readonly NewMessage[]): NewMessage[][] {
  const slices: NewMessage[][] = [];
  let room = 0;
  for (const message of messages) {
    if (room <= 0) {
      slices.push([]);
      room = MOST;
    }
    slices.at(-1)?.push(message);
    room -= Math.max(1, message.deliveries.length);
  }
  return slices;
}
