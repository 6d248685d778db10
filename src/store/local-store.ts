import type { StoredEvent } from '../delivery/completion-rule.js';
import { sourcedId } from '../delivery/event-names.js';
import { isWaiting } from '../delivery/state.js';
import type { Backlog, DeadTotals, EventStore, QueueKey, QueuePosition, Ready } from './event-store.js';
import { laneUser, Places, type WaitingEntry, waitingEntries } from './queue-key.js';
import type { Intake, TakenIn } from './storage.js';
import type { WebhookList } from './webhook-list.js';

interface QueueKeys {
  add(key: QueueKey): void;
  delete(key: QueueKey): unknown;
}

interface Queue extends QueueKeys {
  /** Returns the keys in order, from the first one after `after`. */
  list(after: QueueKey | undefined, limit: number): QueueKey[];
}

/** The ordered deliveries at one URL for one user: the head is in line, and the lane holds the others, which wait behind it. */
export interface Lane extends QueueKeys {
  /** The id of the delivery that is in line; undefined for an empty lane, which is not stored. */
  head: string | undefined;
  /** Removes the first delivery behind the head. */
  shift(): QueueKey | undefined;
}

/** An event as an engine has read it. */
interface Kept {
  readonly event: StoredEvent;
}

/** Where an engine keeps the events of a destination, and what it keeps beside them for listing and counting. */
export interface LocalTables<K extends Kept> {
  readonly events: {
    get(id: string): K | undefined;
    body(kept: K): Uint8Array | undefined;
    /** Returns false, and changes nothing, if an event with that id exists. */
    add(event: StoredEvent, body: Uint8Array): boolean;
    replace(kept: K, event: StoredEvent): void;
    /** Removes the event and its body. */
    remove(kept: K): void;
  };
  /** The deliveries that wait for each URL. */
  readonly lines: {
    line(url: string, position: QueuePosition): Queue;
    lane(url: string, user: string): Lane;
  };
  readonly dead: Queue;
  readonly counts: {
    add(event: StoredEvent, sign: 1 | -1): void;
    read(): { backlog(): Backlog[]; deadTotals(): DeadTotals };
  };
}

const NOTHING: readonly Ready[] = [];

/**
 * A store that only one process uses. It keeps counts, dead letters and the line of each URL in step with its events. A delivery
 * of an ordered event waits behind the earlier deliveries of its user until they have ended. Then it enters the line at the place
 * with which it was accepted.
 */
export abstract class LocalStore<K extends Kept = Kept> implements EventStore {
  readonly webhooks: WebhookList;
  onReady: ((ready: Ready) => void) | undefined;
  readonly #tables: LocalTables<K>;
  readonly #places: Places;

  /** @param lastPlace the last place in line that is taken */
  constructor(tables: LocalTables<K>, webhooks: WebhookList, lastPlace: number) {
    this.webhooks = webhooks;
    this.#tables = tables;
    this.#places = new Places(lastPlace);
  }

  abstract add(event: StoredEvent, body: Uint8Array): Promise<boolean>;
  abstract update(id: string, change: (event: StoredEvent) => StoredEvent | undefined): Promise<void>;
  abstract canRecord(): boolean;
  abstract flush(): Promise<void>;

  /** Calls `onReady` for each, once the change that is being made is visible. */
  protected abstract announce(ready: readonly Ready[]): void;

  placeFor(now: number): number {
    return this.#places.next(now);
  }

  partitionOf(): undefined {}

  async event(id: string): Promise<StoredEvent | undefined> {
    return this.#tables.events.get(id)?.event;
  }

  async body(id: string): Promise<Uint8Array | undefined> {
    const { events } = this.#tables;
    const kept = events.get(id);
    return kept && events.body(kept);
  }

  async waiting(url: string, position: QueuePosition, after: QueueKey | undefined, limit: number): Promise<QueueKey[]> {
    return this.#tables.lines.line(url, position).list(after, limit);
  }

  async isBehind(url: string, id: string): Promise<boolean> {
    const event = this.#tables.events.get(id)?.event;
    const state = event?.urls[url];
    const user = event && laneUser(event);
    if (state === undefined || !isWaiting(state) || user === undefined) return false;
    return this.#tables.lines.lane(url, user).head !== id;
  }

  async dead(after: QueueKey | undefined, limit: number): Promise<QueueKey[]> {
    return this.#tables.dead.list(after, limit);
  }

  async backlog(): Promise<Backlog[]> {
    return this.#tables.counts.read().backlog();
  }

  async deadTotals(): Promise<DeadTotals> {
    return this.#tables.counts.read().deadTotals();
  }

  /**
   * Adds the event of a message inside a change of the engine, and returns the id under which it is stored; undefined if the store
   * already has the message.
   */
  takeIn(event: StoredEvent, { id, body }: Pick<Intake, 'id' | 'body'>): string | undefined {
    if (this.addNow(event, body)) return event.id;
    const other = besides(this.#tables.events.get(event.id)?.event, event, id);
    return other !== undefined && this.addNow(other, body) ? other.id : undefined;
  }

  /** Adds an event inside a change of the engine. */
  protected addNow(event: StoredEvent, body: Uint8Array): boolean {
    const isNew = this.#tables.events.add(event, body);
    if (isNew) this.announce(this.#enterAll(event));
    return isNew;
  }

  /** Changes an event inside a change of the engine. */
  protected updateNow(id: string, change: (event: StoredEvent) => StoredEvent | undefined): void {
    const { events } = this.#tables;
    const kept = events.get(id);
    if (kept === undefined) return;
    const { event } = kept;
    const next = change(event);
    if (next === event) return;
    if (next === undefined) events.remove(kept);
    else events.replace(kept, next);
    const ready = this.#leaveAll(event, next);
    this.announce(next === undefined ? ready : [...ready, ...this.#enterAll(next)]);
  }

  /** Returns the deliveries of an ordered event that this change puts in line for a first attempt. */
  #enterAll(event: StoredEvent): readonly Ready[] {
    const { dead, counts } = this.#tables;
    counts.add(event, 1);
    if (event.isDead) dead.add(deadKeyOf(event));
    const user = laneUser(event);
    const entries = waitingEntries(event);
    if (user !== undefined) return entries.flatMap((entry) => this.#enter(entry, user));
    for (const entry of entries) this.#line(entry).add(entry);
    return NOTHING;
  }

  /**
   * Returns the deliveries of ordered events that this change puts in line for a first attempt.
   *
   * @param after the new state of the event; undefined when it is forgotten
   */
  #leaveAll(event: StoredEvent, after: StoredEvent | undefined): readonly Ready[] {
    const { dead, counts } = this.#tables;
    counts.add(event, -1);
    if (event.isDead) dead.delete(deadKeyOf(event));
    const user = laneUser(event);
    const entries = waitingEntries(event);
    if (user !== undefined) return entries.flatMap((entry) => this.#leave(entry, user, after));
    for (const entry of entries) this.#line(entry).delete(entry);
    return NOTHING;
  }

  #enter(entry: WaitingEntry, user: string): readonly Ready[] {
    const { url, stage, at, id } = entry;
    const lane = this.#tables.lines.lane(url, user);
    const { head } = lane;
    if (head !== undefined && head !== id) {
      lane.add({ at, id });
      this.#line({ url, stage: 'behind' }).add({ at, id });
      return NOTHING;
    }
    if (head === undefined) lane.head = id;
    this.#line(entry).add({ at, id });
    return head === undefined && stage === 'first' ? [{ url, key: { at, id } }] : NOTHING;
  }

  #leave(entry: WaitingEntry, user: string, after: StoredEvent | undefined): readonly Ready[] {
    const { url, id } = entry;
    const lane = this.#tables.lines.lane(url, user);
    if (lane.head !== id) {
      lane.delete(entry);
      this.#line({ url, stage: 'behind' }).delete(entry);
      return NOTHING;
    }
    this.#line(entry).delete(entry);
    const state = after?.urls[url];
    // The delivery keeps its place in the lane until it has ended.
    if (state !== undefined && isWaiting(state)) return NOTHING;
    const next = lane.shift();
    lane.head = next?.id;
    if (next === undefined) return NOTHING;
    this.#line({ url, stage: 'behind' }).delete(next);
    this.#line({ url, stage: 'first' }).add(next);
    return [{ url, key: next }];
  }

  #line({ url, stage }: { readonly url: string; readonly stage: QueuePosition }): Queue {
    return this.#tables.lines.line(url, stage);
  }
}

/**
 * Takes in messages inside a change of the engine.
 *
 * @param type the engine's class of stores
 * @param keep remembers an id, and returns true if it was new
 */
export function takeInAll(
  intakes: readonly Intake[],
  type: abstract new (...args: never[]) => Pick<LocalStore, 'takeIn'>,
  keep: (id: string) => boolean,
): TakenIn[] {
  return intakes.map((intake) => {
    if (!keep(intake.id)) return 'known';
    return intake.deliveries.map(({ store, event }) => {
      if (!(store instanceof type)) throw new Error('Expected a store of this storage');
      return store.takeIn(event, intake);
    });
  });
}

const deadKeyOf = ({ acceptedAt, id }: StoredEvent): QueueKey => ({ at: acceptedAt, id });

/**
 * Returns the event with an id under which it can be stored beside another event of the same id. Two sources may give different
 * messages the same id; the second is then stored with its source in front of the id. Returns undefined if both are the same
 * message.
 */
function besides(there: StoredEvent | undefined, event: StoredEvent, messageId: string): StoredEvent | undefined {
  const { source } = event;
  if (source === undefined || there?.source === source) return undefined;
  return { ...event, id: sourcedId(messageId, source) };
}
