import { type Change, type KeyValueStore, MOST_CHANGES } from '../../store/key-value-store.js';
import type { Listed } from './given-users.js';
import { entryAt, placeOf } from './keys.js';

export type Lists = AsyncIterable<Listed> | Iterable<Listed>;

export interface StagingOptions {
  readonly keyValues: KeyValueStore;
  readonly prefix: string;
  /** The number of users that are sorted before they are written. */
  readonly runSize: number;
  /** Called now and then with the number of users so far. Throws to stop the staging. */
  progress(received: number): void;
}

/** The most concurrent writes. */
const MOST_WRITES = 8;

/**
 * Writes a list to the key-value store before any of it is applied. If the list names a user twice, the last value counts. Users are
 * sorted before they are written, a run at a time: unsorted, each write would change as many pages of a tree as it has users.
 */
export async function stage(options: StagingOptions, listed: Lists): Promise<void> {
  const { prefix, runSize, progress } = options;
  const run = new Map<string, string>();
  let received = 0;
  for await (const user of listed) {
    const place = placeOf(user.userId);
    run.set(prefix + place, entryAt(place, user));
    if (++received % MOST_CHANGES === 0) progress(received);
    if (run.size >= runSize) await writeRun(options, run, received);
  }
  await writeRun(options, run, received);
}

/** Writes the users and empties the run. */
async function writeRun({ keyValues, progress }: StagingOptions, run: Map<string, string>, received: number) {
  const changes: Change[] = [...run.keys()].sort().map((key) => ({ key, value: run.get(key) }));
  run.clear();
  for (let from = 0; from < changes.length; ) {
    progress(received);
    const writes: Promise<void>[] = [];
    for (; writes.length < MOST_WRITES && from < changes.length; from += MOST_CHANGES)
      writes.push(keyValues.write(changes.slice(from, from + MOST_CHANGES)));
    await Promise.all(writes);
  }
}
