import type { Clock } from '../../base/time/clock.js';
import { userKey, userKeys } from '../../delivery/event-names.js';
import type { DeletedUsers } from '../../destination/retention/erasure.js';
import { isJsonObject } from '../../protocol/plain.js';
import { type Change, entriesOf, type KeyValueStore } from '../../store/key-value-store.js';
import { nextFlight } from '../turns.js';

/** On the key-value store: the deletions of each user, under a hash of the id. */
const MARKS = 'recent-erased/';

/** Counts the deletions. It changes with every one, so that a write finds out that one came between. */
const EPOCH = 'recent-erasure/epoch';

/** Marks stay for so many ms: a day more than dead letters by default, which may be replayed until then. */
const KEEP_MS = 31 * 24 * 60 * 60_000;

/** The number of marks that are written, or removed, at once. */
const MOST_AT_ONCE = 400;

/** An attempt that is about to be written. */
export interface Candidate {
  /** The epoch of its event; undefined when it is not known. */
  readonly epoch: number | undefined;
  /** The source of its event, if it has one. */
  readonly source: string | undefined;
  users(): readonly string[];
}

/** The deletions as of one moment. */
export interface Erasures<C extends Candidate> {
  /** While this epoch holds, no user was deleted since. */
  readonly epoch: Change;
  /** The candidates whose event was accepted before a user of it was deleted. */
  readonly covered: ReadonlySet<C>;
}

/** The ids of the users that a message is about. A deletion notification is the service's own, and about none. */
export function usersOf(message: unknown): string[] {
  if (!isJsonObject(message) || message['type'] === 'delete') return [];
  const ids = [message['userId'], message['anonymousId'], message['previousId']];
  return ids.filter((id) => typeof id === 'string');
}

/** The greatest count of deletions that this process has seen in a store; undefined until it has looked. */
interface Seen {
  latest: number | undefined;
}

/** Several services of a process may have one store. */
const seenIn = new WeakMap<KeyValueStore, Seen>();

/** Knows the users who were deleted lately. Their events from before are not delivered any more, nor kept among recent deliveries. */
export class ErasedUsers implements DeletedUsers {
  /** Counts the deletions so far. A call after `mark` has resolved, in any process, counts that deletion. */
  readonly epoch: () => Promise<number>;
  readonly #keyValues: KeyValueStore;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #seen: Seen;

  /** @param isShared whether other processes may count deletions too */
  constructor(keyValues: KeyValueStore, clock: Pick<Clock, 'now'>, isShared: boolean) {
    this.#keyValues = keyValues;
    this.#clock = clock;
    this.#seen = seenIn.get(keyValues) ?? { latest: undefined };
    seenIn.set(keyValues, this.#seen);
    // It is asked before every attempt to deliver, and as messages are taken in: in Redis, one answer has to serve many.
    const ask = nextFlight(async () => this.#saw(await this.#read()));
    this.epoch = isShared ? ask : async () => this.#seen.latest ?? ask();
  }

  get latest(): number {
    return this.#seen.latest ?? 0;
  }

  async deletedIn(user: string, source: string | undefined): Promise<number | undefined> {
    const [text] = await this.#keyValues.get([MARKS + user]);
    return lastOf(marksIn(text), source);
  }

  /** Counts a deletion, and gives its number: what is accepted from now on is not covered by it. */
  async count(): Promise<number> {
    for (;;) {
      const before = await this.#read();
      const epoch = Number(before ?? 0) + 1;
      const next = { key: EPOCH, value: String(epoch) };
      if (await this.#keyValues.writeIf({ key: EPOCH, value: before }, [next])) return this.#saw(next.value);
    }
  }

  /**
   * Once it resolves, no process begins an attempt at an event of these users that was accepted before the deletion of that number, nor keeps
   * one. A second call covers no more than the first.
   *
   * @param sources those whose events are meant; undefined for all
   */
  async mark(users: readonly string[], deletion: number, sources?: readonly string[]): Promise<void> {
    for (let from = 0; from < users.length; from += MOST_AT_ONCE) {
      const keys = users.slice(from, from + MOST_AT_ONCE).flatMap(marksOf);
      for (let isMarked = false; !isMarked; ) isMarked = await this.#markSome(keys, deletion, sources);
    }
  }

  /** Reads the deletions so far, as far as they concern these candidates. */
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

  /** Removes the marks that are too old. */
  async sweep(): Promise<void> {
    const oldest = this.#clock.now() - KEEP_MS;
    let old: Change[] = [];
    for await (const { key, value } of entriesOf(this.#keyValues, MARKS)) {
      if (marksIn(value).every(({ at }) => at < oldest)) old.push({ key, value: undefined });
      if (old.length < MOST_AT_ONCE) continue;
      await this.#keyValues.write(old);
      old = [];
    }
    if (old.length > 0) await this.#keyValues.write(old);
  }

  /** Counts once more, so that a write that looked before it fails; says whether no other deletion came between. */
  async #markSome(keys: readonly string[], deletion: number, sources?: readonly string[]): Promise<boolean> {
    const before = await this.#read();
    const texts = await this.#keyValues.get(keys);
    const mark: Mark = { epoch: deletion, at: this.#clock.now(), ...(sources !== undefined && { sources }) };
    const changes = keys.map((key, index) => ({ key, value: JSON.stringify(withMark(marksIn(texts[index]), mark)) }));
    const next = { key: EPOCH, value: String(Number(before ?? 0) + 1) };
    const isWritten = await this.#keyValues.writeIf({ key: EPOCH, value: before }, [...changes, next]);
    if (isWritten) this.#saw(next.value);
    return isWritten;
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
  /** The deletion covers events that were accepted before this number of deletions. */
  readonly epoch: number;
  readonly at: number;
  /** Only events of these sources are covered. @default of all */
  readonly sources?: readonly string[];
}

// Only `#markSome` writes such values.
const marksIn = (text: string | undefined): readonly Mark[] => (text === undefined ? [] : JSON.parse(text));

/** The number of the last deletion that covers the source. One that is limited to some sources covers no event without a source. */
function lastOf(marks: readonly Mark[], source: string | undefined): number | undefined {
  const meant = marks.filter(({ sources }) => isAmong(source, sources));
  return meant.length === 0 ? undefined : Math.max(...meant.map(({ epoch }) => epoch));
}

/** Tells whether a deletion that is limited to these sources, if to any, is about an event of that source. */
export const isAmong = (source: string | undefined, sources: readonly string[] | undefined): boolean =>
  sources === undefined || (source !== undefined && sources.includes(source));

/** Adds a mark unless another covers all of it, as a later deletion of the same user may have been faster. */
function withMark(marks: readonly Mark[], mark: Mark): readonly Mark[] {
  if (marks.some((other) => other.epoch > mark.epoch && includes(other, mark))) return marks;
  return [...marks.filter((other) => other.epoch > mark.epoch || !includes(mark, other)), mark];
}

const includes = ({ sources }: Mark, other: Mark): boolean =>
  sources === undefined || other.sources?.every((source) => sources.includes(source)) === true;

const markOf = (id: string): string => MARKS + userKey({ userId: id });

const marksOf = (id: string): string[] => userKeys(id).map((key) => MARKS + key);
