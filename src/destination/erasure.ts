import type { StoredEvent } from '../delivery/completion-rule.js';
import type { Entry, EventLog } from '../store/event-log.js';
import { type EventKey, type EventStore, eventKeyOf } from '../store/event-store.js';
import type { DueItem } from '../store/line.js';

/**
 * The users who were deleted lately, by the names that `userKey` gives them. Deletions are counted in the store, and that count is what tells
 * whether an event was accepted before one: the clocks of processes differ, and are set back.
 */
export interface DeletedUsers {
  /** How many deletions there have been. Whoever asks after one, in any process, has it counted. */
  epoch(): Promise<number>;
  /** How many there had been with the last deletion of this user; undefined when there was none. */
  deletedIn(user: string): Promise<number | undefined>;
}

export interface ErasureOptions {
  readonly store: EventStore;
  readonly eventLog: EventLog;
  /** @default nobody is ever deleted */
  readonly deletedUsers?: DeletedUsers | undefined;
  /** Told of each event that was forgotten, as it was before. */
  onErased(event: StoredEvent): void;
}

/** Sees to it that no event which was accepted before its user was deleted is sent, or kept as a dead letter, after that. */
export class Erasure {
  readonly #options: ErasureOptions;

  constructor(options: ErasureOptions) {
    this.#options = options;
  }

  /** Forgets the event if its user was deleted after it was accepted, and says whether it did. */
  async erase({ epoch, ...key }: EventKey & Pick<DueItem, 'epoch'>): Promise<boolean> {
    const { eventLog, onErased } = this.#options;
    const event = await this.#coveredEvent(key, epoch);
    const erased = event && (await eventLog.erase(event));
    if (erased !== undefined) onErased(erased);
    return erased !== undefined;
  }

  /** Whether the user of the event was deleted after it was accepted. */
  async covers(key: EventKey): Promise<boolean> {
    return (await this.#coveredEvent(key)) !== undefined;
  }

  /** What the entry means when the user was deleted meanwhile: a delivery that ended dead leaves no dead letter. */
  async read(entry: Entry): Promise<Entry> {
    const { store, eventLog } = this.#options;
    const { before, ending } = entry;
    if (ending?.as !== 'dead' || !(await this.#isCovered(before, await this.#epoch()))) return entry;
    await eventLog.discard(eventKeyOf(store, before), () => ending.urls);
    return { ...entry, ending: { ...ending, as: 'erased' } };
  }

  /** The event if it is covered. The store is not asked for one whose `known` epoch says that nobody was deleted since. */
  async #coveredEvent({ id, partition }: EventKey, known = 0): Promise<StoredEvent | undefined> {
    const epoch = await this.#epoch();
    if (known === epoch) return undefined;
    const event = await this.#options.store.event(id, partition);
    return event !== undefined && (await this.#isCovered(event, epoch)) ? event : undefined;
  }

  /** A deletion's own notification is about the user, and goes out. */
  async #isCovered({ type, user, epoch = 0 }: StoredEvent, now: number): Promise<boolean> {
    if (user === undefined || type === 'delete' || epoch === now) return false;
    return epoch < ((await this.#options.deletedUsers?.deletedIn(user)) ?? 0);
  }

  async #epoch(): Promise<number> {
    return (await this.#options.deletedUsers?.epoch()) ?? 0;
  }
}
