import type { StoredEvent } from '../delivery/completion-rule.js';
import { sourcedId } from '../delivery/event-names.js';
import { isWaiting, type Waiting } from '../delivery/state.js';
import type { QueueKey, QueuePosition, Ready, Stage } from './event-store.js';
import type { Intake } from './storage.js';

interface QueueKeys {
  add(key: QueueKey): void;
  delete(key: QueueKey): unknown;
}

/** An entry of the index in which a store finds deliveries that are due, or that wait behind others. */
export interface PositionedEntry extends QueueKey {
  readonly url: string;
  readonly stage: QueuePosition;
}

/** The ordered deliveries at one URL for one user: the head is in line, and the lane holds the others, which wait behind it. */
export interface Lane extends QueueKeys {
  /** The id of the delivery that is in line; undefined for an empty lane, which is not stored. */
  head: string | undefined;
  /** Removes the first delivery behind the head. */
  shift(): QueueKey | undefined;
}

/** The index of the waiting deliveries, by URL and stage. */
export interface LineTable {
  lane(url: string, user: string): Lane;
  put(entry: PositionedEntry): void;
  remove(entry: PositionedEntry): void;
}

/** The tables that a store keeps beside its events, for listing and counting them. */
export interface IndexTables {
  readonly lines: LineTable;
  readonly dead: QueueKeys;
  readonly counts: { add(event: StoredEvent, sign: 1 | -1): void };
}

const NOTHING: readonly Ready[] = [];

/** Returns the user whose lanes hold the event's deliveries; undefined if the event is not ordered. */
export const laneUser = ({ isOrdered, user }: StoredEvent): string | undefined =>
  isOrdered === true ? user : undefined;

/**
 * Keeps the indexes of a store that only one process uses in step with its events: counts, dead letters, and the line of each
 * URL. A delivery of an ordered event waits behind the earlier deliveries of its user until they have ended. Then it enters the
 * line at the place with which it was accepted. Each method is called inside the change of the event, and returns the deliveries
 * of ordered events that thereby enter the line for a first attempt.
 */
export class EventIndex {
  readonly #tables: IndexTables;

  constructor(tables: IndexTables) {
    this.#tables = tables;
  }

  enter(event: StoredEvent): readonly Ready[] {
    const { lines, dead, counts } = this.#tables;
    counts.add(event, 1);
    if (event.isDead) dead.add(deadKeyOf(event));
    const user = laneUser(event);
    const entries = waitingEntries(event);
    if (user !== undefined) return entries.flatMap((entry) => this.#enter(entry, user));
    for (const entry of entries) lines.put(entry);
    return NOTHING;
  }

  /** @param after the new state of the event; undefined when it is forgotten */
  move(event: StoredEvent, after: StoredEvent | undefined): readonly Ready[] {
    const ready = this.#leaveAll(event, after);
    return after === undefined ? ready : [...ready, ...this.enter(after)];
  }

  #leaveAll(event: StoredEvent, after: StoredEvent | undefined): readonly Ready[] {
    const { lines, dead, counts } = this.#tables;
    counts.add(event, -1);
    if (event.isDead) dead.delete(deadKeyOf(event));
    const user = laneUser(event);
    const entries = waitingEntries(event);
    if (user !== undefined) return entries.flatMap((entry) => this.#leave(entry, user, after));
    for (const entry of entries) lines.remove(entry);
    return NOTHING;
  }

  #enter(entry: WaitingEntry, user: string): readonly Ready[] {
    const { lines } = this.#tables;
    const { url, at, id } = entry;
    const lane = lines.lane(url, user);
    const { head } = lane;
    if (head !== undefined && head !== id) {
      lane.add({ at, id });
      lines.put({ ...entry, stage: 'behind' });
      return NOTHING;
    }
    if (head === undefined) lane.head = id;
    lines.put(entry);
    return head === undefined && entry.stage === 'first' ? [readyOf(entry)] : NOTHING;
  }

  #leave(entry: WaitingEntry, user: string, after: StoredEvent | undefined): readonly Ready[] {
    const { lines } = this.#tables;
    const { url } = entry;
    const lane = lines.lane(url, user);
    if (lane.head !== entry.id) {
      lane.delete(entry);
      lines.remove({ ...entry, stage: 'behind' });
      return NOTHING;
    }
    lines.remove(entry);
    const state = after?.urls[url];
    // The delivery keeps its place in the lane until it has ended.
    if (state !== undefined && isWaiting(state)) return NOTHING;
    const next = lane.shift();
    lane.head = next?.id;
    if (next === undefined) return NOTHING;
    const promoted: WaitingEntry = { url, stage: 'first', ...next };
    lines.remove({ ...promoted, stage: 'behind' });
    lines.put(promoted);
    return [readyOf(promoted)];
  }
}

const deadKeyOf = ({ acceptedAt, id }: StoredEvent): QueueKey => ({ at: acceptedAt, id });

const readyOf = ({ url, at, id }: WaitingEntry): Ready => ({ url, key: { at, id } });

/** An entry of the index in which a store finds due deliveries. */
export interface WaitingEntry extends QueueKey {
  readonly url: string;
  readonly stage: Stage;
}

export const stageOf = ({ phase }: Waiting): Stage => (phase === 'pending' ? 'first' : 'retry');

/** Returns the entries that an event has in the index of due deliveries. */
export function waitingEntries({ id, urls }: StoredEvent): WaitingEntry[] {
  const entries: WaitingEntry[] = [];
  for (const [url, state] of Object.entries(urls)) {
    if (isWaiting(state)) entries.push({ url, stage: stageOf(state), at: state.due, id });
  }
  return entries;
}

/** The events of a store that only one process uses. */
export interface EventRecords {
  event(id: string): StoredEvent | undefined;
  /** Returns false, and changes nothing, if an event with that id exists. */
  add(event: StoredEvent, body: Uint8Array): boolean;
}

/** Adds the event of a message, and returns the id under which it is stored; undefined if the store already has the message. */
export function addDelivery(
  records: EventRecords,
  event: StoredEvent,
  { id, body }: Pick<Intake, 'id' | 'body'>,
): string | undefined {
  if (records.add(event, body)) return event.id;
  const other = besides(records.event(event.id), event, id);
  return other !== undefined && records.add(other, body) ? other.id : undefined;
}

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
