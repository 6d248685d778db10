import type { StoredEvent } from '../delivery/completion-rule.js';
import { sourcedId } from '../delivery/event-names.js';
import { isWaiting, type Waiting } from '../delivery/state.js';
import type { Position, QueueKey, Ready, Stage } from './event-store.js';
import type { Intake } from './storage.js';

interface QueueKeys {
  add(key: QueueKey): void;
  delete(key: QueueKey): unknown;
}

/** An entry of the index by which a store finds what is due, or what is behind others. */
export interface PositionedEntry extends QueueKey {
  readonly url: string;
  readonly stage: Position;
}

/** The deliveries at one URL for one user of ordered events: the first is in line, the others are behind it. */
export interface Lane {
  /** The id of the one in line; undefined for an empty lane, of which nothing is kept. */
  head: string | undefined;
  readonly behind: QueueKeys & { shift(): QueueKey | undefined };
}

/** The index of what waits, by URL and stage. */
export interface LineTable {
  lane(url: string, user: string): Lane;
  put(entry: PositionedEntry): void;
  remove(entry: PositionedEntry): void;
}

/** A store has these beside its events, so that it can list and count them. */
export interface IndexTables {
  readonly lines: LineTable;
  readonly dead: QueueKeys;
  readonly counts: { add(event: StoredEvent, sign: 1 | -1): void };
}

const NOTHING: readonly Ready[] = [];

/** The user for whom deliveries of the event are in a lane; undefined where nothing holds them up. */
export const laneUser = ({ isOrdered, user }: StoredEvent): string | undefined =>
  isOrdered === true ? user : undefined;

/**
 * Keeps the indexes of a store that one process has to itself as its events are: counts, dead letters, and the line of each URL. Of an
 * ordered event, a delivery is behind those before it of its user until they have ended. Then it comes in line with the place that it
 * was accepted with. Each method is called inside the change of the event, and returns the deliveries of ordered events that come in
 * line for a first attempt by it.
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

  /** @param after what becomes of the event; undefined when it is forgotten */
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
      lane.behind.add({ at, id });
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
      lane.behind.delete(entry);
      lines.remove({ ...entry, stage: 'behind' });
      return NOTHING;
    }
    lines.remove(entry);
    const state = after?.urls[url];
    // It stays where it is until it has ended.
    if (state !== undefined && isWaiting(state)) return NOTHING;
    const next = lane.behind.shift();
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

/** An entry of the index by which a store finds what is due. */
export interface WaitingEntry extends QueueKey {
  readonly url: string;
  readonly stage: Stage;
}

export const stageOf = ({ phase }: Waiting): Stage => (phase === 'pending' ? 'first' : 'retry');

/** Returns the entries that an event has in that index. */
export function waitingEntries({ id, urls }: StoredEvent): WaitingEntry[] {
  const entries: WaitingEntry[] = [];
  for (const [url, state] of Object.entries(urls)) {
    if (isWaiting(state)) entries.push({ url, stage: stageOf(state), at: state.due, id });
  }
  return entries;
}

/** The events of a store that one process has to itself. */
export interface EventRecords {
  event(id: string): StoredEvent | undefined;
  /** Returns false, and changes nothing, where there is an event of that id. */
  add(event: StoredEvent, body: Uint8Array): boolean;
}

/** Adds the event of a message, and returns the id under which it is kept; undefined if the store has the message already. */
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
 * Returns the event as it is kept beside another one of its id. Two sources may give different messages the same id: the one that comes
 * second is kept with its source before it. Returns undefined if both are the same message.
 */
function besides(there: StoredEvent | undefined, event: StoredEvent, messageId: string): StoredEvent | undefined {
  const { source } = event;
  if (source === undefined || there?.source === source) return undefined;
  return { ...event, id: sourcedId(messageId, source) };
}
