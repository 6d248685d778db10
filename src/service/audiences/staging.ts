import { type Change, type KeyValueStore, MOST_CHANGES } from '../../store/key-value-store.js';
import type { Listed } from './given-users.js';
import { entryAt, placeOf } from './keys.js';

export type Lists = AsyncIterable<Listed> | Iterable<Listed>;

export interface StagingOptions {
  readonly keyValues: KeyValueStore;
  readonly prefix: string;
  /** The number of users that are sorted together before they are written. */
  readonly runSize: number;
  /** Called from time to time with the number of users so far. It throws to stop the staging. */
  progress(received: number): void;
}

/** A run is also written when its text has this many characters, even if it has few users. */
const MOST_LENGTH = 20_000_000;

/** The maximum number of concurrent writes. */
const MOST_WRITES = 8;

/**
 * Writes a list to the key-value store before any of it is applied. If the list names a user twice, the last value counts. Users
 * are sorted in runs before they are written: unsorted, each write would change a page of the store's tree for nearly every user.
 */
export async function stage(options: StagingOptions, listed: Lists): Promise<void> {
  const { runSize, progress } = options;
  const run = new Map<string, string>();
  let [received, length] = [0, 0];
  for await (const user of listed) {
    const place = placeOf(user.userId);
    const entry = entryAt(place, user);
    run.set(place, entry);
    length += place.length + entry.length;
    if (++received % MOST_CHANGES === 0) progress(received);
    if (run.size < runSize && length < MOST_LENGTH) continue;
    await writeRun(options, run, received);
    length = 0;
  }
  await writeRun(options, run, received);
}

/** Writes the users and empties the run. */
async function writeRun({ keyValues, prefix, progress }: StagingOptions, run: Map<string, string>, received: number) {
  const changes: Change[] = [...run.keys()].sort().map((place) => ({ key: prefix + place, value: run.get(place) }));
  run.clear();
  for (let from = 0; from < changes.length; ) {
    progress(received);
    const writes: Promise<void>[] = [];
    for (; writes.length < MOST_WRITES && from < changes.length; from += MOST_CHANGES)
      writes.push(keyValues.write(changes.slice(from, from + MOST_CHANGES)));
    await Promise.all(writes);
  }
}
