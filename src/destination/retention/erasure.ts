import type { StoredEvent } from '../../delivery/completion-rule.js';
import { userKey } from '../../delivery/event-names.js';
import type { Entry, EventLog } from '../../store/event-log.js';
import type { EventKey, EventStore } from '../../store/event-store.js';
import type { DueItem } from '../../store/line.js';
import { eventKeyOf } from '../../store/queue-key.js';

/**
 * Knows the users who were deleted lately, by the names that `userKey` gives them. Deletions are counted in the store, and that count tells
 * whether an event was accepted before one: the clocks of processes differ, and are set back.
 */
export interface DeletedUsers {
  /** The greatest count that this process has seen, for where there is no time to ask the store. */
  readonly latest: number;
  /** Counts the deletions so far. A call that begins after one, in any process, counts it. */
  epoch(): Promise<number>;
  /** The number of this user's last deletion that covers events of the source; undefined when there was none. */
  deletedIn(user: string, source: string | undefined): Promise<number | undefined>;
}

export interface ErasureOptions {
  readonly store: EventStore;
  readonly eventLog: EventLog;
  /** @default nobody is ever deleted */
  readonly deletedUsers?: DeletedUsers | undefined;
  /** Called for each event that was forgotten, as it was before. */
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

/** Sees to it that no event which was accepted before its user was deleted is sent, or kept as a dead letter, after that. */
export class Erasure {
  readonly #options: ErasureOptions;
  #attempts = new Attempts();
  #earlier: Promise<void> | undefined;

  constructor(options: ErasureOptions) {
    this.#options = options;
  }

  /** The greatest count of deletions that this process has seen. When it has grown since an event was looked at, it has to be looked at again. */
  get latest(): number {
    return this.#options.deletedUsers?.latest ?? 0;
  }

  /** An attempt enters before it looks whether its event may still be sent, and leaves when its request has ended. */
  enter(): Attempts {
    this.#attempts.open++;
    return this.#attempts;
  }

  /** Resolves when every attempt that was entered before this call has ended: what was already on its way has arrived by then. */
  attemptsBefore(): Promise<void> {
    const before = this.#attempts;
    this.#attempts = new Attempts();
    this.#earlier = Promise.all([this.#earlier, before.ended()]).then(() => undefined);
    return this.#earlier;
  }

  /**
   * Forgets the event if its user was deleted after it was accepted. Says whether there is nothing to send any more: because it did, or
   * because the event has gone meanwhile, as the delivery to another URL forgets it for all.
   */
  async erase({ epoch: known = 0, ...key }: EventKey & Pick<DueItem, 'epoch'>): Promise<boolean> {
    const { store, eventLog, onErased } = this.#options;
    const epoch = await this.#epoch();
    // Nobody was deleted since it came in.
    if (known === epoch) return false;
    const event = await store.event(key.id, key.partition);
    if (event === undefined) return true;
    if (!(await this.#isCovered(event, epoch))) return false;
    const erased = await eventLog.erase(event);
    if (erased !== undefined) onErased(erased);
    return true;
  }

  /** Tells whether the user of the event was deleted after it was accepted. */
  async covers({ id, partition }: EventKey): Promise<boolean> {
    const event = await this.#options.store.event(id, partition);
    return event !== undefined && this.#isCovered(event, await this.#epoch());
  }

  /** Reads the entry anew when the user was deleted meanwhile: a delivery that ended dead then leaves no dead letter. */
  async read(entry: Entry): Promise<Entry> {
    const { store, eventLog } = this.#options;
    const { before, ending } = entry;
    if (ending?.as !== 'dead' || !(await this.#isCovered(before, await this.#epoch()))) return entry;
    await eventLog.discard(eventKeyOf(store, before), () => ending.urls);
    return { ...entry, ending: { ...ending, as: 'erased' } };
  }

  /** A deletion's own notification is about the user, and goes out. An alias is about two users. */
  async #isCovered(event: StoredEvent, now: number): Promise<boolean> {
    const { type, user, source, epoch = 0 } = event;
    if (type === 'delete' || epoch === now) return false;
    const users = [user, type === 'alias' ? await this.#previousUser(event) : undefined];
    for (const each of users) {
      if (each !== undefined && epoch < ((await this.#options.deletedUsers?.deletedIn(each, source)) ?? 0)) return true;
    }
    return false;
  }

  /** Reads to whom an alias gives another id. Only its body says so, and it is read after a deletion alone. */
  async #previousUser(event: StoredEvent): Promise<string | undefined> {
    const { store } = this.#options;
    const { id, partition } = eventKeyOf(store, event);
    const body = await store.body(id, partition);
    // It was checked before it was stored.
    const message = body === undefined ? {} : (JSON.parse(Buffer.from(body).toString()) as Record<string, unknown>);
    return userKey({ userId: message['previousId'] });
  }

  async #epoch(): Promise<number> {
    return (await this.#options.deletedUsers?.epoch()) ?? 0;
  }
}
