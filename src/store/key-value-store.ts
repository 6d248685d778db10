import { setImmediate } from 'node:timers/promises';

/** Sets the key to the value, or removes it when that is undefined. */
export interface Change {
  readonly key: string;
  readonly value: string | undefined;
}

export interface Entry {
  readonly key: string;
  readonly value: string;
}

/** Adds to a counter: a key whose value is an integer in decimals, and 0 as long as it is not there. */
export interface Increment {
  readonly key: string;
  readonly by: number;
}

/**
 * Keys and values in order: well-formed text, keys of 1 to 1,000 bytes of UTF-8 and values of any length. Keys are ordered by their
 * bytes. The module that writes a key documents its first path, up to the first `/`.
 */
export interface KeyValueStore {
  /** Resolves to the values of the keys, in their order; undefined where there is none. */
  get(keys: readonly string[]): Promise<(string | undefined)[]>;
  /** Resolves to the entries whose key begins with the prefix, from the one after the key `after`. The prefix has a `/`. */
  list(prefix: string, after: string | undefined, limit: number): Promise<Entry[]>;
  /** Makes all changes or none, at most 1,000. Resolves once they would survive the machine losing power. */
  write(changes: readonly Change[]): Promise<void>;
  /**
   * Writes the changes when the key `expected.key` has that value, or, for undefined, is not there; and says whether it had.
   * Nothing comes between.
   */
  writeIf(expected: Change, changes: readonly Change[]): Promise<boolean>;
  /** Adds to each counter. Resolves once others see it. */
  add(increments: readonly Increment[]): Promise<void>;
  /** Removes every key with the prefix, however many. */
  removeAll(prefix: string): Promise<void>;
}

const PAGE = 500;

/** Yields the entries whose key begins with the prefix, in order, from the one after the key `from`, so many at once. */
export async function* pagesOf(
  keyValues: KeyValueStore,
  prefix: string,
  from?: string,
  size = PAGE,
): AsyncGenerator<Entry[], void, undefined> {
  for (let after = from; ; ) {
    const entries: Entry[] = await keyValues.list(prefix, after, size);
    if (entries.length > 0) yield entries;
    if (entries.length < size) return;
    after = entries.at(-1)?.key;
    // A store on this machine answers within the turn.
    await setImmediate();
  }
}

/** Yields every entry whose key begins with the prefix, in order, from the one after the key `from`. */
export async function* entriesOf(
  keyValues: KeyValueStore,
  prefix: string,
  from?: string,
): AsyncGenerator<Entry, void, undefined> {
  for await (const entries of pagesOf(keyValues, prefix, from)) yield* entries;
}

/** `write` takes no more changes than these. */
export const MOST_CHANGES = 1_000;

/** Writes the changes in their order, however many. When one write fails, those before it stay. */
export async function writeAll(keyValues: KeyValueStore, changes: readonly Change[]): Promise<void> {
  for (let from = 0; from < changes.length; from += MOST_CHANGES)
    await keyValues.write(changes.slice(from, from + MOST_CHANGES));
}
