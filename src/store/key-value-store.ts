import { setImmediate } from 'node:timers/promises';

/** Sets the key to the value, or removes the key when the value is undefined. */
export interface Change {
  readonly key: string;
  readonly value: string | undefined;
}

export interface KeyValue {
  readonly key: string;
  readonly value: string;
}

/**
 * An ordered key-value store. Keys and values are well-formed text: keys have 1 to 1,000 bytes of UTF-8, values any length. Keys
 * are ordered by their bytes. The module that writes a key documents its first path, up to the first `/`.
 */
export interface KeyValueStore {
  /** Resolves to the values of the keys, in the same order; undefined for a key that does not exist. */
  get(keys: readonly string[]): Promise<(string | undefined)[]>;
  /** Resolves to the entries with the prefix, from the first one after the key `after`. The prefix contains a `/`. */
  list(prefix: string, after: string | undefined, limit: number): Promise<KeyValue[]>;
  /** Makes all changes or none, at most 1,000. Resolves once they would survive a power failure of the machine. */
  write(changes: readonly Change[]): Promise<void>;
  /**
   * Makes the changes if the key `expected.key` has the value `expected.value` or, for undefined, does not exist. Resolves to
   * true if it did. Comparing and writing are atomic.
   */
  writeIf(expected: Change, changes: readonly Change[]): Promise<boolean>;
  /** Removes every key with the prefix, however many there are. */
  removeAll(prefix: string): Promise<void>;
}

const PAGE = 500;

/** Yields the entries with the prefix in pages of `size`, in order, from the first one after the key `from`. */
export async function* pagesOf(
  keyValues: KeyValueStore,
  prefix: string,
  from?: string,
  size = PAGE,
): AsyncGenerator<KeyValue[], void, undefined> {
  for (let after = from; ; ) {
    const entries: KeyValue[] = await keyValues.list(prefix, after, size);
    if (entries.length > 0) yield entries;
    if (entries.length < size) return;
    after = entries.at(-1)?.key;
    // A store on this machine answers without leaving the turn of the event loop, so other work gets its chance here.
    await setImmediate();
  }
}

/** Yields every entry with the prefix, in order, from the first one after the key `from`. They are read page by page. */
export async function* entriesOf(
  keyValues: KeyValueStore,
  prefix: string,
  from?: string,
): AsyncGenerator<KeyValue, void, undefined> {
  for await (const entries of pagesOf(keyValues, prefix, from)) yield* entries;
}

/** The most changes that one `write` accepts. */
export const MOST_CHANGES = 1_000;

/** Makes any number of changes, in their order. When one write fails, those before it are kept. */
export async function writeAll(keyValues: KeyValueStore, changes: readonly Change[]): Promise<void> {
  for (let from = 0; from < changes.length; from += MOST_CHANGES)
    await keyValues.write(changes.slice(from, from + MOST_CHANGES));
}
