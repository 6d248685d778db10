import type { Clock } from '../../base/time/clock.js';
import { type Change, entriesOf, type KeyValueStore } from '../../store/key-value-store.js';
import type { DeletionReport } from '../api/deletion-answers.js';
import { type Found, foundIn } from '../jobs/held-record.js';
import type { Job } from '../jobs/job-runner.js';
import { newest } from '../jobs/newest.js';

/** A request to delete users, as it is on the key-value store. The users themselves lie beside it until it is done. */
export interface DeletionRecord extends Job {
  readonly id: string;
  /** When it was requested, in ms since 1970. */
  readonly at: number;
  /** Its number among all deletions: what was accepted before it was counted is not delivered any more. */
  readonly number: number;
  /** The number of users. */
  readonly users: number;
  /** The sources whose destinations are notified. */
  readonly sources: readonly string[];
  /** The sources to which everything is limited. @default all */
  readonly only?: readonly string[] | undefined;
  /** True while something of the users may be among the deliveries that are kept. */
  readonly isKept?: boolean | undefined;
  /** The number of attempts that were removed there. */
  readonly erased?: number | undefined;
  /** True while the users may be in audiences, which they leave before anything is sent. */
  readonly isInAudiences?: boolean | undefined;
  /** True while deliveries of the users may wait or be dead letters. They are erased last, because there may be many. */
  readonly hasLetters?: boolean | undefined;
  /** The number of notifications that are stored. Their order is user by user, and for each user source by source. */
  readonly done: number;
}

export const DELETIONS = 'deletion/';

/** A mark for each that is not done, to find those among all of a year. */
export const UNDONE = 'deletion-undone/';

export const deletionKey = (id: string): string => DELETIONS + encodeURIComponent(id);
export const undoneKey = (id: string): string => UNDONE + encodeURIComponent(id);

/** Under another prefix, so that a list of deletions does not read all their users. */
export const usersKey = (id: string): string => `deletion-users/${encodeURIComponent(id)}`;

export const notificationsOf = ({ users, sources }: DeletionRecord): number => users * sources.length;

export const isDone = (record: DeletionRecord): boolean =>
  record.isKept !== true &&
  record.isInAudiences !== true &&
  record.hasLetters !== true &&
  record.done >= notificationsOf(record);

export const reportOf = (record: DeletionRecord): DeletionReport => ({
  id: record.id,
  at: new Date(record.at).toISOString(),
  users: record.users,
  sources: record.only ?? record.sources,
  limited: record.only !== undefined,
  notifications: notificationsOf(record),
  done: record.done,
  erased: record.erased ?? 0,
  status: isDone(record) ? 'done' : 'running',
});

/** A deletion is kept for this long after its end, in ms. */
const KEEP_MS = 365 * 24 * 60 * 60_000;

/** The deletions on the key-value store. No method reads more of them than it must. */
export class DeletionRecords {
  readonly #keyValues: KeyValueStore;
  readonly #clock: Clock;

  constructor(keyValues: KeyValueStore, clock: Clock) {
    this.#keyValues = keyValues;
    this.#clock = clock;
  }

  async get(id: string): Promise<Found<DeletionRecord>> {
    const [text] = await this.#keyValues.get([deletionKey(id)]);
    return foundIn(text);
  }

  async users(id: string): Promise<readonly string[]> {
    const [text] = await this.#keyValues.get([usersKey(id)]);
    return text === undefined ? [] : JSON.parse(text);
  }

  /** The newest first, up to so many; those that are older than one, where its id is given. */
  async newest(limit: number, before?: string): Promise<DeletionRecord[]> {
    return (await newest(this.#keyValues, DELETIONS, { limit, before, now: this.#clock.wall() })).map(parse);
  }

  /** Those that are not done. */
  async *undone(): AsyncGenerator<Found<DeletionRecord>, void, undefined> {
    for await (const { key } of entriesOf(this.#keyValues, UNDONE)) {
      const found = await this.get(decodeURIComponent(key.slice(UNDONE.length)));
      if (found.record !== undefined && !isDone(found.record)) yield found;
    }
  }

  /** Removes those that were done long ago. */
  async removeOld(): Promise<void> {
    const oldest = this.#clock.wall() - KEEP_MS;
    for await (const { key, value } of entriesOf(this.#keyValues, DELETIONS)) {
      const record = parse(value);
      // They are sorted by time.
      if (record.at >= oldest) return;
      if (isDone(record)) await this.#keyValues.write([{ key, value: undefined }]);
    }
  }
}

/** Written with a new deletion: the mark that it is not done, and its users. */
export const changesToBegin = (id: string, users: readonly string[]): Change[] => [
  { key: undoneKey(id), value: '' },
  { key: usersKey(id), value: JSON.stringify(users) },
];

/** Written with a deletion that is done. */
export const changesToEnd = (id: string): Change[] =>
  [undoneKey(id), usersKey(id)].map((key) => ({ key, value: undefined }));

// Only deletions write such values.
const parse = (text: string): DeletionRecord => JSON.parse(text);
