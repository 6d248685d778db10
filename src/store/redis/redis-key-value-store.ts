import type { Change, KeyValue, KeyValueStore } from '../key-value-store.js';
import { CALL } from './lua.js';
import { type RedisClient, Script } from './redis-client.js';
import { ScriptCall } from './script-call.js';

/** The most entries that one script handles, because Redis does nothing else in that time. */
const BATCH = 500;

const VALUES = `
${CALL}
local values, order = KEYS[1], KEYS[2]
local function remove(key)
  redis.call('HDEL', values, key)
  redis.call('ZREM', order, key)
end
`;

/**
 * Makes the `changes` if the key `check.key` has the value `check.value`, or does not exist if no value is given. Without a
 * `check` it always makes them. A change without a value removes its key.
 *
 * Returns 1 if it has written, otherwise 0.
 */
const WRITE_IF = new Script(`
${VALUES}
local check = call.check
if check and redis.call('HGET', values, check.key) ~= (check.value or false) then return 0 end
for _, change in ipairs(call.changes) do
  if change.value then
    redis.call('HSET', values, change.key, change.value)
    redis.call('ZADD', order, 0, change.key)
  else
    remove(change.key)
  end
end
return 1
`);

/** Returns up to `most` keys that begin with `prefix`, in order, from the first one after `after` if it is given. */
const KEYS_IN = `
local function keysIn()
  local from = call.after and '(' .. call.after or '[' .. call.prefix
  -- No text in UTF-8 has the byte FF.
  return redis.call('ZRANGEBYLEX', order, from, '(' .. call.prefix .. '\\255', 'LIMIT', 0, call.most)
end
`;

/** Lists entries. Returns keys and values alternately. */
const LIST = new Script(`
${VALUES}
${KEYS_IN}
local entries = {}
for _, key in ipairs(keysIn()) do
  entries[#entries + 1] = key
  entries[#entries + 1] = redis.call('HGET', values, key)
end
return entries
`);

/** Removes entries, and returns how many it removed. */
const REMOVE = new Script(`
${VALUES}
${KEYS_IN}
local keys = keysIn()
for _, key in ipairs(keys) do remove(key) end
return #keys
`);

/** Stores the values in a hash, and the order of the keys in a sorted set. */
export class RedisKeyValueStore implements KeyValueStore {
  readonly #link: RedisClient;
  readonly #keys: readonly [values: string, order: string];

  constructor(link: RedisClient, prefix: string) {
    this.#link = link;
    this.#keys = [`${prefix}values`, `${prefix}order`];
  }

  async get(keys: readonly string[]): Promise<(string | undefined)[]> {
    if (keys.length === 0) return [];
    const values = await this.#link.ask((redis) => redis.hmget(this.#keys[0], ...keys));
    return values.map((value) => value ?? undefined);
  }

  /** Returns the place of an entry in Redis. */
  placeOf(key: string): { readonly hash: string; readonly field: string } {
    return { hash: this.#keys[0], field: key };
  }

  async list(prefix: string, after: string | undefined, limit: number): Promise<KeyValue[]> {
    const entries: KeyValue[] = [];
    for (let left = limit; left > 0; left = limit - entries.length) {
      const most = Math.min(left, BATCH);
      const page = await this.#page({ prefix, after: entries.at(-1)?.key ?? after, most });
      entries.push(...page);
      if (page.length < most) break;
    }
    return entries;
  }

  async write(changes: readonly Change[]): Promise<void> {
    await this.#run(WRITE_IF, { changes });
  }

  async writeIf(check: Change, changes: readonly Change[]): Promise<boolean> {
    return (await this.#run(WRITE_IF, { check, changes })) === 1;
  }

  async removeAll(prefix: string): Promise<void> {
    while ((await this.#run(REMOVE, { prefix, most: BATCH })) === BATCH);
  }

  async #page(range: { prefix: string; after: string | undefined; most: number }): Promise<KeyValue[]> {
    // The script returns strings.
    const flat = (await this.#run(LIST, range)) as string[];
    return flat.flatMap((key, index) => (index % 2 === 0 ? { key, value: flat[index + 1] ?? '' } : []));
  }

  #run(script: Script, args: object): Promise<unknown> {
    return new ScriptCall(this.#keys).run(this.#link, script, args);
  }
}
