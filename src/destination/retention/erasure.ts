import type { StoredEvent } from '../../delivery/completion-rule.js';
import { userKey } from '../../delivery/event-names.js';
import type { EventChange, EventLog } from '../../store/event-log.js';
import type { EventKey, EventStore } from '../../store/event-store.js';
import type { DueItem } from '../../store/line.js';
import { eventKeyOf } from '../../store/queue-key.js';

/**
 * The users who were recently deleted, by the names that `userKey` gives them. The store counts deletions, and this count shows
 * whether an event was accepted before one, because the clocks of processes differ and may be set back.
 */
export interface DeletedUsers {
  /** The highest count that this process has seen, for callers that have no time to ask the store. */
  readonly latest: number;
  /** Returns the number of deletions so far. A call that begins after a deletion in any process includes it. */
  epoch(): number | Promise<number>;
  /** Returns the number of this user's last deletion that covers events of the source; undefined if there was none. */
  deletedIn(user: string, source: string | undefined): Promise<number | undefined>;
}

export interface ErasureOptions {
  readonly store: EventStore;
  readonly eventLog: EventLog;
  /** @default nobody is ever deleted */
  readonly deletedUsers?: DeletedUsers | undefined;
  /** Called for each event that was erased, with its state before. */
  onErased(event: StoredEvent): void;
}

/** The attempts that began between two deletions. */
export class Attempts {
  open = 0;
  #onEnd: (() => void) | undefined;

  leave(): void {
    this.open--;
    if (this.open === 0) this.#onEnd?.();
  }

  async ended(): Promise<void> {
    if (this.open > 0) await new Promise<void>((resolve) => (this.#onEnd = resolve));
  }
}

/** Ensures that an event accepted before its user was deleted is neither sent nor kept as a dead letter after the deletion. */
export class Erasure {
  readonly #options: ErasureOptions;
  #attempts = new Attempts();
  #earlier: Promise<void> | undefined;

  constructor(options: ErasureOptions) {
    this.#options = options;
  }

  /** The highest count of deletions that this process has seen. If it grows after a check of an event, repeat the check. */
  get latest(): number {
    return this.#options.deletedUsers?.latest ?? 0;
  }

  /** Registers an attempt before the check whether its event may be sent. It leaves when its request has ended. */
  enter(): Attempts {
    this.#attempts.open++;
    return this.#attempts;
  }

  /** Resolves when every attempt that entered before this call has ended, so that nothing sent earlier can arrive later. */
  attemptsBefore(): Promise<void> {
    const before = this.#attempts;
    this.#attempts = new Attempts();
    this.#earlier = Promise.all([this.#earlier, before.ended()]).then(() => undefined);
    return this.#earlier;
  }

  /**
   * Erases the event if its user was deleted after it was accepted. Returns true if there is nothing left to send: because the
   * event was erased, or because it is gone, for example after a delivery to another URL settled it.
   */
  async erase({ epoch: known = 0, ...key }: EventKey & Pick<DueItem, 'epoch'>): Promise<boolean> {
    const { store, eventLog, onErased } = this.#options;
    const epoch = await this.#epoch();
    // No user was deleted since the event was accepted.
    if (known === epoch) return false;
    const event = await store.event(key.id, key.partition);
    if (event === undefined) return true;
    if (!(await this.#isCovered(event, epoch))) return false;
    const erased = await eventLog.erase(event);
    if (erased !== undefined) onErased(erased);
    return true;
  }

  /** Returns true if the user of the event was deleted after it was accepted. */
  async covers({ id, partition }: EventKey): Promise<boolean> {
    const event = await this.#options.store.event(id, partition);
    return event !== undefined && this.#isCovered(event, await this.#epoch());
  }

  /**
   * Discards the dead letter of a delivery that has just died if its user was deleted in the meantime, and returns the entry with
   * the ending `erased`. Returns other entries unchanged.
   */
  async read(entry: EventChange): Promise<EventChange> {
    const { store, eventLog } = this.#options;
    const { before, ending } = entry;
    if (ending?.as !== 'dead' || !(await this.#isCovered(before, await this.#epoch()))) return entry;
    await eventLog.discard(eventKeyOf(store, before), () => ending.urls);
    return { ...entry, ending: { ...ending, as: 'erased' } };
  }

  /** The notification of a deletion is itself about the user, and is sent. An alias concerns two users. */
  async #isCovered(event: StoredEvent, now: number): Promise<boolean> {
    const { type, user, source, epoch = 0 } = event;
    if (type === 'delete' || epoch === now) return false;
    const users = [user, type === 'alias' ? await this.#previousUser(event) : undefined];
    for (const each of users) {
      if (each !== undefined && epoch < ((await this.#options.deletedUsers?.deletedIn(each, source)) ?? 0)) return true;
    }
    return false;
  }

  /** Returns the user to whom an alias gives a new id. Only the body contains it, so it is read only after a deletion. */
  async #previousUser(event: StoredEvent): Promise<string | undefined> {
    const { store } = this.#options;
    const { id, partition } = eventKeyOf(store, event);
    const body = await store.body(id, partition);
    // The body was validated before it was stored.
    const message = body === undefined ? {} : (JSON.parse(Buffer.from(body).toString()) as Record<string, unknown>);
    return userKey({ userId: message['previousId'] });
  }

  #epoch(): number | Promise<number> {
    return this.#options.deletedUsers?.epoch() ?? 0;
  }
}
