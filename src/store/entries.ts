import type { Entry, KeyValueStore } from './key-value-store.js';

const PAGE = 500;

/** Every entry whose key begins with the prefix, in order, from the one after the key `from`, read page by page. */
export async function* entriesOf(
  keyValues: KeyValueStore,
  prefix: string,
  from?: string,
): AsyncGenerator<Entry, void, undefined> {
  for (let after = from, isMore = true; isMore; ) {
    const entries: Entry[] = await keyValues.list(prefix, after, PAGE);
    yield* entries;
    after = entries.at(-1)?.key;
    isMore = entries.length === PAGE;
  }
}
