import type { RedisClient, Script } from './redis-client.js';
import type { LineKeys } from './redis-keys.js';

/**
 * One call of a script. Its arguments are an object, whose fields the script reads as `call`. A key appears there as its number
 * in `KEYS`, so that each long key is sent once, and a record as its number in `ARGV`, because it may contain any bytes.
 */
export class ScriptCall {
  readonly #numbers = new Map<string, number>();
  readonly #records: Uint8Array[] = [];

  /** @param keys the keys that the script expects first */
  constructor(keys: readonly string[]) {
    for (const key of keys) this.key(key);
  }

  /** Declares the key, and returns its number. */
  key(key: string): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.#numbers.size + 1);
    return this.#numbers.size;
  }

  /** Adds a record, and returns its number. The arguments object comes before all records. */
  record(record: Uint8Array): number {
    return this.#records.push(record) + 1;
  }

  /** @param args must not contain `null`, which Lua would treat as true; undefined fields are omitted */
  run(link: RedisClient, script: Script, args: object, options?: { readonly inBytes: boolean }): Promise<unknown> {
    return link.run(script, [...this.#numbers.keys()], [encode(args), ...this.#records], options);
  }
}

/** Returns the numbers of a line's sets, and the digest that begins the fields of its counts. */
export const setsOf = ({ first, timed, digest }: LineKeys, script: ScriptCall) => ({
  first: script.key(first),
  timed: script.key(timed),
  digest,
});

/** Returns the numbers of the keys that a line's lanes need. */
export const laneOf = ({ first, behind, lanes, heads }: LineKeys, script: ScriptCall) => ({
  first: script.key(first),
  behind: script.key(behind),
  lanes: script.key(lanes),
  heads: script.key(heads),
});

/** Replaces lone surrogates as UTF-8 does, because Redis cannot read them. */
function encode(args: object): string {
  const json = JSON.stringify(args);
  if (!json.includes('\\ud')) return json;
  return JSON.stringify(args, (_, value: unknown) => (typeof value === 'string' ? wellFormed(value) : value));
}

const wellFormed = (text: string): string => Buffer.from(text).toString();
