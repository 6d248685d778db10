import type { StoredEvent } from '../delivery/completion-rule.js';
import { isWaiting, type Waiting } from '../delivery/state.js';
import type { Position, QueueKey, Ready, Stage } from './event-store.js';
import type { SortedList } from './sorted-list.js';

/** What waits at one URL for one user: the first delivery is in line, the others are behind it. */
export interface Lane {
  /** The id of the one in line; undefined for an empty lane. */
  head: string | undefined;
  readonly behind: Pick<SortedList<QueueKey>, 'add' | 'delete' | 'shift'>;
}

/** A line of the index by which a store finds what is due, or what is behind others. */
export interface PositionedEntry extends QueueKey {
  readonly url: string;
  readonly stage: Position;
}

/** How a store keeps what waits. Of an ordered event it is told the user as well. */
export interface LaneTable {
  lane(url: string, user: string): Lane;
  /** Called for a lane in which nothing is left. */
  drop(url: string, user: string): void;
  put(entry: PositionedEntry, user?: string): void;
  remove(entry: PositionedEntry): void;
}

const NOTHING: readonly Ready[] = [];

/** The user for whom deliveries of the event are in a lane; undefined where nothing holds them up. */
export const laneUser = ({ isOrdered, user }: StoredEvent): string | undefined =>
  isOrdered === true ? user : undefined;

/**
 * Puts what waits for each URL in line. Of an ordered event, a delivery is behind those before it of its user, until they have ended: then it
 * comes in line with the place that it was accepted with. Called inside the change of the event.
 */
export class Lanes {
  readonly #table: LaneTable;

  constructor(table: LaneTable) {
    this.#table = table;
  }

  /** Enters the deliveries of an event that wait. Gives those of an ordered event that are in line for a first attempt by that. */
  enter(event: StoredEvent): readonly Ready[] {
    const user = laneUser(event);
    const entries = waitingEntries(event);
    if (user !== undefined) return entries.flatMap((entry) => this.#enter(entry, user));
    for (const entry of entries) this.#table.put(entry);
    return NOTHING;
  }

  /** Takes out what waited. `after` is what becomes of the event. Gives what comes in line in the place of it. */
  leave(event: StoredEvent, after: StoredEvent | undefined): readonly Ready[] {
    const user = laneUser(event);
    const entries = waitingEntries(event);
    if (user !== undefined) return entries.flatMap((entry) => this.#leave(entry, user, after));
    for (const entry of entries) this.#table.remove(entry);
    return NOTHING;
  }

  #enter(entry: WaitingEntry, user: string): readonly Ready[] {
    const lane = this.#table.lane(entry.url, user);
    const { head } = lane;
    if (head !== undefined && head !== entry.id) {
      lane.behind.add(entry);
      this.#table.put({ ...entry, stage: 'behind' }, user);
      return NOTHING;
    }
    lane.head = entry.id;
    this.#table.put(entry, user);
    return head === undefined && entry.stage === 'first' ? [readyOf(entry)] : NOTHING;
  }

  #leave(entry: WaitingEntry, user: string, after: StoredEvent | undefined): readonly Ready[] {
    const lane = this.#table.lane(entry.url, user);
    if (lane.head !== entry.id) {
      lane.behind.delete(entry);
      this.#table.remove({ ...entry, stage: 'behind' });
      return NOTHING;
    }
    this.#table.remove(entry);
    const state = after?.urls[entry.url];
    // It stays where it is until it has ended.
    if (state !== undefined && isWaiting(state)) return NOTHING;
    const next = lane.behind.shift();
    lane.head = next?.id;
    if (next === undefined) {
      this.#table.drop(entry.url, user);
      return NOTHING;
    }
    const promoted: WaitingEntry = { url: entry.url, stage: 'first', at: next.at, id: next.id };
    this.#table.remove({ ...promoted, stage: 'behind' });
    this.#table.put(promoted, user);
    return [readyOf(promoted)];
  }
}

const readyOf = ({ url, at, id }: WaitingEntry): Ready => ({ url, key: { at, id } });

/** One line of the index by which a store finds what is due. */
export interface WaitingEntry extends QueueKey {
  readonly url: string;
  readonly stage: Stage;
}

/** For which attempt a delivery waits. */
export const stageOf = ({ phase }: Waiting): Stage => (phase === 'pending' ? 'first' : 'retry');

/** The lines an event has in that index. */
export function waitingEntries({ id, urls }: StoredEvent): WaitingEntry[] {
  const entries: WaitingEntry[] = [];
  for (const [url, state] of Object.entries(urls)) {
    if (isWaiting(state)) entries.push({ url, stage: stageOf(state), at: state.due, id });
  }
  return entries;
}
