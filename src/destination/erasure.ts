import type { StoredEvent } from '../delivery/completion-rule.js';
import type { Entry, EventLog } from '../store/event-log.js';
import { type EventKey, type EventStore, eventKeyOf } from '../store/event-store.js';

/** The users who were deleted lately, by the names that `userKey` gives them. */
export interface DeletedUsers {
  /** When the last of them was, in ms since 1970; undefined when nobody was. */
  latest(): Promise<number | undefined>;
  /** When this one was, in ms since 1970; undefined when not. */
  deletedAt(user: string): Promise<number | undefined>;
}

export interface ErasureOptions {
  readonly store: EventStore;
  readonly eventLog: EventLog;
  /** @default nobody is ever deleted */
  readonly deletedUsers?: DeletedUsers | undefined;
  /** Told of each event that was forgotten, as it was before. */
  onErased(event: StoredEvent): void;
}

/** Clocks of processes differ, and a deletion takes a moment to be written. */
const MARGIN_MS = 60_000;

/** Sees to it that no event which was accepted before its user was deleted is sent, or kept as a dead letter, after that. */
export class Erasure {
  readonly #options: ErasureOptions;

  constructor(options: ErasureOptions) {
    this.#options = options;
  }

  /**
   * Forgets the event if its user was deleted after it was accepted, and says whether it did.
   *
   * @param knownAt when it was accepted, or looked at by this method: the store is not asked for it if nobody was deleted since.
   */
  async erase({ id, partition }: EventKey, knownAt = 0): Promise<boolean> {
    const { store, eventLog, onErased } = this.#options;
    const latest = await this.#latest();
    if (latest === undefined || knownAt > latest + MARGIN_MS) return false;
    const event = await store.event(id, partition);
    if (event === undefined || !(await this.#covers(event))) return false;
    const erased = await eventLog.erase(event);
    if (erased !== undefined) onErased(erased);
    return erased !== undefined;
  }

  /** What the entry means when the user was deleted meanwhile: a delivery that ended dead leaves no dead letter. */
  async read(entry: Entry): Promise<Entry> {
    const { store, eventLog } = this.#options;
    const { before, ending } = entry;
    if (ending?.as !== 'dead' || (await this.#latest()) === undefined || !(await this.#covers(before))) return entry;
    await eventLog.discard(eventKeyOf(store, before), () => ending.urls);
    return { ...entry, ending: { ...ending, as: 'erased' } };
  }

  async #latest(): Promise<number | undefined> {
    return this.#options.deletedUsers?.latest();
  }

  /** A deletion's own notification is about the user, and goes out. */
  async #covers({ type, user, acceptedAt }: StoredEvent): Promise<boolean> {
    if (user === undefined || type === 'delete') return false;
    const deletedAt = await this.#options.deletedUsers?.deletedAt(user);
    return deletedAt !== undefined && acceptedAt < deletedAt;
  }
}
