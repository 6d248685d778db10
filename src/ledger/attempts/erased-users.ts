import { nextFlight } from '../../base/structures/turns.js';
import type { Clock } from '../../base/time/clock.js';
import { userKey, userKeys } from '../../delivery/event-names.js';
import type { DeletedUsers } from '../../destination/retention/erasure.js';
import { isJsonObject } from '../../protocol/plain.js';
import { type Change, type KeyValueStore, pagesOf } from '../../store/key-value-store.js';

/** The prefix of the deletions of each user, stored under a hash of the user's id. */
const MARKS = 'recent-erased/';

/** The key of the number of deletions. Every deletion changes it, so that conditional writes detect a deletion. */
const EPOCH = 'recent-erasure/epoch';

/** How long marks are kept, in ms: a day longer than dead letters are by default, because these may be replayed. */
const KEEP_MS = 31 * 24 * 60 * 60_000;

/** The number of users who are marked at once. */
const MOST_AT_ONCE = 400;

/** An attempt that is about to be written. */
export interface Candidate {
  /** The epoch of its event; undefined if it is not known. */
  readonly epoch: number | undefined;
  /** The source of its event, if it has one. */
  readonly source: string | undefined;
  users(): readonly string[];
}

/** The deletions at one moment. */
export interface Erasures<C extends Candidate> {
  /** A condition for a write: while it holds, no further user has been deleted. */
  readonly epoch: Change;
  /** The candidates with a user who was deleted after their event was accepted. */
  readonly covered: ReadonlySet<C>;
}

/** Returns the ids of the users that a message is about. A deletion notification is the service's own and about no user. */
export function usersOf(message: unknown): string[] {
  if (!isJsonObject(message) || message['type'] === 'delete') return [];
  const ids = [message['userId'], message['anonymousId'], message['previousId']];
  return ids.filter((id) => typeof id === 'string');
}

/** The highest number of deletions that this process has seen in a store; undefined until it has looked. */
interface Seen {
  latest: number | undefined;
}

/** The numbers by store, because several services in a process may use the same store. */
const seenIn = new WeakMap<KeyValueStore, Seen>();

/** Knows which users were deleted recently. Their older events are no longer delivered, nor kept among the recent deliveries. */
export class ErasedUsers implements DeletedUsers {
  /** Returns the number of deletions so far. A deletion whose `mark` has resolved in any process is included. */
  readonly epoch: () => number | Promise<number>;
  readonly #keyValues: KeyValueStore;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #seen: Seen;

  /** @param isShared true if other processes may count deletions too */
  constructor(keyValues: KeyValueStore, clock: Pick<Clock, 'now'>, isShared: boolean) {
    this.#keyValues = keyValues;
    this.#clock = clock;
    this.#seen = seenIn.get(keyValues) ?? { latest: undefined };
    seenIn.set(keyValues, this.#seen);
    // This is read before every attempt and whenever messages are stored, so with Redis callers share one read.
    const ask = nextFlight(async () => this.#saw(await this.#read()));
    this.epoch = isShared ? ask : () => this.#seen.latest ?? ask();
  }

  get latest(): number {
    return this.#seen.latest ?? 0;
  }

  async deletedIn(user: string, source: string | undefined): Promise<number | undefined> {
    const [text] = await this.#keyValues.get([MARKS + user]);
    return lastOf(marksIn(text), source);
  }

  /** Counts a deletion and returns its number. The deletion does not cover events that are accepted from now on. */
  count(): Promise<number> {
    return this.#raise(async () => []);
  }

  /**
   * Marks users as deleted. Once it resolves, no process begins or keeps an attempt for an event of these users that was accepted
   * before the deletion with that number. Calling it again for the same deletion covers no further events.
   *
   * @param sources the sources whose events are covered; undefined means all
   */
  async mark(users: readonly string[], deletion: number, sources?: readonly string[]): Promise<void> {
    for (let from = 0; from < users.length; from += MOST_AT_ONCE) {
      const keys = users.slice(from, from + MOST_AT_ONCE).flatMap(marksOf);
      const mark: Mark = { epoch: deletion, at: this.#clock.now(), ...(sources !== undefined && { sources }) };
      await this.#raise(async () => {
        const texts = await this.#keyValues.get(keys);
        return keys.map((key, index) => ({ key, value: JSON.stringify(withMark(marksIn(texts[index]), mark)) }));
      });
    }
  }

  /** Reads the deletions so far and finds the candidates that they cover. */
  async among<C extends Candidate>(candidates: readonly C[]): Promise<Erasures<C>> {
    const value = await this.#read();
    const now = Number(value ?? 0);
    const older = candidates.filter(({ epoch }) => epoch !== now);
    const named = now === 0 ? [] : older.map((candidate) => ({ candidate, marks: candidate.users().map(markOf) }));
    const keys = [...new Set(named.flatMap(({ marks }) => marks))];
    const values = await this.#keyValues.get(keys);
    const known = new Map(keys.map((key, index) => [key, marksIn(values[index])]));
    const isCovered = ({ candidate: { epoch = 0, source }, marks }: (typeof named)[number]): boolean =>
      marks.some((key) => epoch < (lastOf(known.get(key) ?? [], source) ?? 0));
    return {
      epoch: { key: EPOCH, value },
      covered: new Set(named.filter(isCovered).map(({ candidate }) => candidate)),
    };
  }

  /** Removes marks that are too old. */
  async sweep(): Promise<void> {
    const oldest = this.#clock.now() - KEEP_MS;
    for await (const entries of pagesOf(this.#keyValues, MARKS)) {
      const old = entries.filter(({ value }) => marksIn(value).every(({ at }) => at < oldest));
      if (old.length > 0) await this.#keyValues.write(old.map(({ key }) => ({ key, value: undefined })));
    }
  }

  /** Increases the number together with other changes, so that others' conditional writes fail, and returns it. */
  async #raise(changes: () => Promise<readonly Change[]>): Promise<number> {
    for (;;) {
      const before = await this.#read();
      const next = { key: EPOCH, value: String(Number(before ?? 0) + 1) };
      const written = [...(await changes()), next];
      if (await this.#keyValues.writeIf({ key: EPOCH, value: before }, written)) return this.#saw(next.value);
    }
  }

  #saw(value: string | undefined): number {
    const epoch = Number(value ?? 0);
    this.#seen.latest = Math.max(this.latest, epoch);
    return epoch;
  }

  async #read(): Promise<string | undefined> {
    const [value] = await this.#keyValues.get([EPOCH]);
    return value;
  }
}

/** A deletion of a user. */
interface Mark {
  /** The mark covers events that were accepted before the deletion with this number was counted. */
  readonly epoch: number;
  readonly at: number;
  /** The sources whose events are covered. @default all */
  readonly sources?: readonly string[];
}

// Only `mark` writes such values.
const marksIn = (text: string | undefined): readonly Mark[] => (text === undefined ? [] : JSON.parse(text));

/** Returns the last deletion that covers the source. Without a source, only deletions for all sources cover an event. */
function lastOf(marks: readonly Mark[], source: string | undefined): number | undefined {
  const meant = marks.filter(({ sources }) => isAmong(source, sources));
  return meant.length === 0 ? undefined : Math.max(...meant.map(({ epoch }) => epoch));
}

/** True if a deletion that is limited to these sources, or to none in particular, covers an event of that source. */
export const isAmong = (source: string | undefined, sources: readonly string[] | undefined): boolean =>
  sources === undefined || (source !== undefined && sources.includes(source));

/** Adds a mark unless a later deletion, which may have been written first, already covers everything that it covers. */
function withMark(marks: readonly Mark[], mark: Mark): readonly Mark[] {
  if (marks.some((other) => other.epoch > mark.epoch && includes(other, mark))) return marks;
  return [...marks.filter((other) => other.epoch > mark.epoch || !includes(mark, other)), mark];
}

const includes = ({ sources }: Mark, other: Mark): boolean =>
  sources === undefined || other.sources?.every((source) => sources.includes(source)) === true;

const markOf = (id: string): string => MARKS + userKey({ userId: id });

const marksOf = (id: string): string[] => userKeys(id).map((key) => MARKS + key);
