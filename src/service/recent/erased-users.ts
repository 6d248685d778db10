import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/time/clock.js';
import { userKey, userKeys } from '../../delivery/user-key.js';
import type { DeletedUsers } from '../../destination/erasure.js';
import { isJsonObject } from '../../protocol/is.js';
import { type Change, entriesOf, type KeyValueStore } from '../../store/key-value-store.js';
import { nextFlight } from '../single-flight.js';

/** On the key-value store: for each deleted user a hash of the id, and when the user was deleted. */
const MARKS = 'recent-erased/';

/** Says when the last user was deleted, and changes with every deletion, so that a write finds out that one came between. */
const LATEST = 'recent-erasure/latest';

/** How long marks stay, in ms: a day more than dead letters by default, which may be replayed until then. */
const KEEP_MS = 31 * 24 * 60 * 60_000;

/** How many marks are written, or removed, at once. */
const MOST_AT_ONCE = 400;

/** An attempt that is about to be written. */
export interface Candidate {
  /** In ms since 1970; undefined when it is not known. */
  readonly acceptedAt: number | undefined;
  users(): readonly string[];
}

/** What was deleted, as of one moment. */
export interface Erasures<C extends Candidate> {
  /** As long as it holds, no user was deleted since. */
  readonly latest: Change;
  /** The candidates whose event was accepted before a user of it was deleted. */
  readonly covered: ReadonlySet<C>;
}

/** The ids of the users that a message is about. A deletion notification is the service's own, and about none. */
export function usersOf(message: unknown): string[] {
  if (!isJsonObject(message) || message['type'] === 'delete') return [];
  const ids = [message['userId'], message['anonymousId'], message['previousId']];
  return ids.filter((id) => typeof id === 'string');
}

/** The users who were deleted lately: their events from before are not delivered any more, nor kept among recent deliveries. */
export class ErasedUsers implements DeletedUsers {
  /** When the last one was. Whoever asks after `mark` has resolved, in any process, learns of it. */
  readonly latest: () => Promise<number | undefined>;
  readonly #keyValues: KeyValueStore;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(keyValues: KeyValueStore, clock: Pick<Clock, 'now'>) {
    this.#keyValues = keyValues;
    this.#clock = clock;
    // It is asked before every attempt to deliver: in Redis, one answer has to serve many.
    this.latest = nextFlight(async () => {
      const [value] = await keyValues.get([LATEST]);
      return value === undefined ? undefined : Number.parseInt(value, 10);
    });
  }

  async deletedAt(user: string): Promise<number | undefined> {
    const [value] = await this.#keyValues.get([MARKS + user]);
    return value === undefined ? undefined : Number(value);
  }

  /** Once it resolves, no process begins an attempt at an event of these users that was accepted before, nor keeps one. */
  async mark(users: readonly string[]): Promise<void> {
    const value = String(this.#clock.now());
    for (let from = 0; from < users.length; from += MOST_AT_ONCE) {
      const marks = users
        .slice(from, from + MOST_AT_ONCE)
        .flatMap(marksOf)
        .map((key) => ({ key, value }));
      await this.#keyValues.write([...marks, { key: LATEST, value: `${value} ${randomUUID()}` }]);
    }
  }

  /** What was deleted so far, as far as it concerns these candidates. */
  async among<C extends Candidate>(candidates: readonly C[]): Promise<Erasures<C>> {
    const [value] = await this.#keyValues.get([LATEST]);
    const latest = { key: LATEST, value };
    if (value === undefined) return { latest, covered: new Set() };
    const named = candidates.map((candidate) => ({ candidate, marks: candidate.users().map(markOf) }));
    const keys = [...new Set(named.flatMap(({ marks }) => marks))];
    const values = await this.#keyValues.get(keys);
    const erasedAt = new Map(keys.map((key, index) => [key, Number(values[index] ?? -1)]));
    const isCovered = ({ candidate: { acceptedAt = 0 }, marks }: (typeof named)[number]): boolean =>
      marks.some((mark) => acceptedAt <= (erasedAt.get(mark) ?? -1));
    return { latest, covered: new Set(named.filter(isCovered).map(({ candidate }) => candidate)) };
  }

  /** Removes the marks that are too old. */
  async sweep(): Promise<void> {
    const [latest] = await this.#keyValues.get([LATEST]);
    if (latest === undefined) return;
    const oldest = this.#clock.now() - KEEP_MS;
    let [left, old]: [number, Change[]] = [0, []];
    for await (const { key, value } of entriesOf(this.#keyValues, MARKS)) {
      if (Number(value) >= oldest) left++;
      else old.push({ key, value: undefined });
      if (old.length < MOST_AT_ONCE) continue;
      await this.#keyValues.write(old);
      old = [];
    }
    if (old.length > 0) await this.#keyValues.write(old);
    // Without marks, a write need not look into its messages.
    if (left === 0) await this.#keyValues.writeIf({ key: LATEST, value: latest }, [{ key: LATEST, value: undefined }]);
  }
}

const markOf = (id: string): string => MARKS + userKey({ userId: id });

const marksOf = (id: string): string[] => userKeys(id).map((key) => MARKS + key);
