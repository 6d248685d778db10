import { type Change, entriesOf, type KeyValueStore } from '../../store/key-value-store.js';
import type { DeletionReport } from '../api/deletion-answers.js';
import { type FoundRecord, recordAt } from '../jobs/held-record.js';
import { jobIdAt, newestFirst, type StoredJob } from '../jobs/job-runner.js';

/** A request to delete users, as it is stored. The users are stored under a separate key until the deletion is done. */
export interface DeletionRecord extends StoredJob {
  readonly id: string;
  /** When it was requested, in ms since 1970. */
  readonly at: number;
  /** The number of this deletion among all. Events that were accepted before it got its number are no longer delivered. */
  readonly number: number;
  /** The number of users. */
  readonly users: number;
  /** The sources whose destinations are notified. */
  readonly sources: readonly string[];
  /** The sources to which everything is limited. @default all */
  readonly only?: readonly string[] | undefined;
  /**
   * What is done next: kept attempts are erased, the users leave the audiences, and then notifications are sent. Waiting
   * deliveries, dead letters and the names in jobs are erased last, because there may be many.
   */
  readonly phase: 'attempts' | 'audiences' | 'notifications' | 'deliveries' | 'done';
  /** The number of attempts that were erased. */
  readonly erased: number;
  /** The number of notifications that are stored so far. They are stored user by user, and for each user source by source. */
  readonly done: number;
}

export const DELETIONS = 'deletion/';

/** The prefix of the keys that mark unfinished deletions, so that they are found among those of a whole year. */
export const UNDONE = 'deletion-undone/';

export const deletionKey = (id: string): string => DELETIONS + encodeURIComponent(newestFirst(id));
export const undoneKey = (id: string): string => UNDONE + encodeURIComponent(id);

/** The users have their own prefix, so that listing deletions does not read all users. */
export const usersKey = (id: string): string => `deletion-users/${encodeURIComponent(id)}`;

/** The number of erased attempts is stored here with every removal, so that it is exact after a kill. */
export const erasedKey = (id: string): string => `deletion-erased/${encodeURIComponent(id)}`;

export const notificationsOf = ({ users, sources }: DeletionRecord): number => users * sources.length;

export const isDone = ({ phase }: DeletionRecord): boolean => phase === 'done';

export const reportOf = (record: DeletionRecord): DeletionReport => ({
  id: record.id,
  at: new Date(record.at).toISOString(),
  users: record.users,
  sources: record.only ?? record.sources,
  limited: record.only !== undefined,
  notifications: notificationsOf(record),
  done: record.done,
  erased: record.erased,
  status: isDone(record) ? 'done' : 'running',
});

/** How long a deletion is kept after it was asked for, in ms. */
const KEEP_MS = 365 * 24 * 60 * 60_000;

export const deletionAt = (keyValues: KeyValueStore, id: string): Promise<FoundRecord<DeletionRecord> | undefined> =>
  recordAt(keyValues, deletionKey(id));

export async function deletedUsersOf(keyValues: KeyValueStore, id: string): Promise<readonly string[]> {
  const [text] = await keyValues.get([usersKey(id)]);
  return text === undefined ? [] : JSON.parse(text);
}

/** Returns at most `limit` deletions, newest first; with `before`, an id, only older ones. */
export async function newestDeletions(
  keyValues: KeyValueStore,
  limit: number,
  before?: string,
): Promise<DeletionRecord[]> {
  const entries = await keyValues.list(DELETIONS, before && deletionKey(before), limit);
  return entries.map(({ value }) => parse(value));
}

/** Yields the deletions that are not done. */
export async function* undoneDeletions(
  keyValues: KeyValueStore,
): AsyncGenerator<FoundRecord<DeletionRecord>, void, undefined> {
  for await (const { key } of entriesOf(keyValues, UNDONE)) {
    const found = await deletionAt(keyValues, decodeURIComponent(key.slice(UNDONE.length)));
    if (found !== undefined && !isDone(found.record)) yield found;
  }
}

/** Removes deletions that ended long ago, and reads no others. */
export async function removeOldDeletions(keyValues: KeyValueStore, now: number): Promise<void> {
  const oldest = jobIdAt(Math.max(0, now - KEEP_MS - 1), '');
  for await (const { key, value } of entriesOf(keyValues, DELETIONS, deletionKey(oldest)))
    if (isDone(parse(value))) await keyValues.write([{ key, value: undefined }]);
}

/** The changes that are written with a new deletion: its users, and the mark that it is not done. */
export const changesToBegin = (id: string, users: readonly string[]): Change[] => [
  { key: undoneKey(id), value: '' },
  { key: usersKey(id), value: JSON.stringify(users) },
];

/** The changes that are written with a deletion that is done. */
export const changesToEnd = (id: string): Change[] =>
  [undoneKey(id), usersKey(id), erasedKey(id)].map((key) => ({ key, value: undefined }));

// Only deletions write such values.
const parse = (text: string): DeletionRecord => JSON.parse(text);
