import type { Change, Entry, Increment, KeyValueStore } from '../key-value-store.js';
import { type RedisClient, Script } from './redis-client.js';

/** The most entries that one script handles: Redis does nothing else meanwhile. */
const BATCH = 1_000;

/**
 * Writes entries if a key has the expected value.
 *
 * KEYS: values, order.
 *
 * ARGV:
 * - the key to check; `''` for no check
 * - `1` if it must have a value, `0` if it must have none, `''` for no check
 * - the expected value
 * - for each change: `set` or `remove`, the key, the value
 *
 * Returns 1 if it has written, otherwise 0.
 */
const WRITE_IF = new Script(`
local has = redis.call('HGET', KEYS[1], ARGV[1])
if ARGV[2] == '1' and has ~= ARGV[3] or ARGV[2] == '0' and has then return 0 end
for i = 4, #ARGV, 3 do
  if ARGV[i] == 'set' then
    redis.call('HSET', KEYS[1], ARGV[i + 1], ARGV[i + 2])
    redis.call('ZADD', KEYS[2], 0, ARGV[i + 1])
  else
    redis.call('HDEL', KEYS[1], ARGV[i + 1])
    redis.call('ZREM', KEYS[2], ARGV[i + 1])
  end
end
return 1
`);

/**
 * Adds to numbers.
 *
 * KEYS: values, order.
 *
 * ARGV: for each entry: the key, the number to add.
 */
const ADD = new Script(`
for i = 1, #ARGV, 2 do
  redis.call('HINCRBY', KEYS[1], ARGV[i], ARGV[i + 1])
  redis.call('ZADD', KEYS[2], 0, ARGV[i])
end
`);

/**
 * Lists entries in the order of their keys.
 *
 * KEYS: values, order.
 *
 * ARGV: the bounds of the range, as ZRANGEBYLEX takes them, and the most entries.
 *
 * Returns keys and values by turns.
 */
const LIST = new Script(`
local entries = {}
for _, key in ipairs(redis.call('ZRANGEBYLEX', KEYS[2], ARGV[1], ARGV[2], 'LIMIT', 0, ARGV[3])) do
  entries[#entries + 1] = key
  entries[#entries + 1] = redis.call('HGET', KEYS[1], key)
end
return entries
`);

/**
 * Removes entries.
 *
 * KEYS: values, order.
 *
 * ARGV: the bounds of the range, as ZRANGEBYLEX takes them, and the most entries.
 *
 * Returns how many entries it has removed.
 */
const REMOVE = new Script(`
local keys = redis.call('ZRANGEBYLEX', KEYS[2], ARGV[1], ARGV[2], 'LIMIT', 0, ARGV[3])
for _, key in ipairs(keys) do
  redis.call('HDEL', KEYS[1], key)
  redis.call('ZREM', KEYS[2], key)
end
return #keys
`);

/** Keeps the values in a hash, and the order of the keys in a sorted set. */
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

  /** The place of an entry in Redis. */
  placeOf(key: string): { readonly hash: string; readonly field: string } {
    return { hash: this.#keys[0], field: key };
  }

  async list(prefix: string, after: string | undefined, limit: number): Promise<Entry[]> {
    const entries: Entry[] = [];
    let from = after === undefined ? `[${prefix}` : `(${after}`;
    for (let left = limit; left > 0; left = limit - entries.length) {
      const page = await this.#page(from, prefix, Math.min(left, BATCH));
      entries.push(...page);
      const last = page.at(-1);
      if (last === undefined || page.length < Math.min(left, BATCH)) break;
      from = `(${last.key}`;
    }
    return entries;
  }

  async write(changes: readonly Change[]): Promise<void> {
    await this.#link.run(WRITE_IF, this.#keys, ['', '', '', ...changes.flatMap(argumentsOf)]);
  }

  async writeIf({ key, value }: Change, changes: readonly Change[]): Promise<boolean> {
    const expected = [key, value === undefined ? '0' : '1', value ?? ''];
    return (await this.#link.run(WRITE_IF, this.#keys, [...expected, ...changes.flatMap(argumentsOf)])) === 1;
  }

  async add(increments: readonly Increment[]): Promise<void> {
    if (increments.length === 0) return;
    await this.#link.run(
      ADD,
      this.#keys,
      increments.flatMap(({ key, by }) => [key, by]),
    );
  }

  async removeAll(prefix: string): Promise<void> {
    const range = [`[${prefix}`, endOf(prefix), BATCH];
    while ((await this.#link.run(REMOVE, this.#keys, range)) === BATCH);
  }

  async #page(from: string, prefix: string, limit: number): Promise<Entry[]> {
    const answer = await this.#link.run(LIST, this.#keys, [from, endOf(prefix), limit]);
    const flat = Array.isArray(answer) ? (answer as string[]) : [];
    const entries: Entry[] = [];
    for (let index = 0; index + 1 < flat.length; index += 2) {
      entries.push({ key: flat[index] ?? '', value: flat[index + 1] ?? '' });
    }
    return entries;
  }
}

const argumentsOf = ({ key, value }: Change): string[] =>
  value === undefined ? ['remove', key, ''] : ['set', key, value];

/** The upper bound of all keys with the prefix: no text in UTF-8 contains the byte FF. */
const endOf = (prefix: string): Buffer => Buffer.concat([Buffer.from(`(${prefix}`), Buffer.of(0xff)]);
