import {
  advance,
  cancel,
  discard,
  type EventEnd,
  revive,
  type SettleRule,
  type StoredEvent,
} from '../delivery/completion-rule.js';
import {
  type Attempt,
  type DeathReason,
  endTooOld,
  expire,
  finish,
  isExpired,
  isWaiting,
  type StoredState,
  type Waiting,
} from '../delivery/state.js';
import type { EventKey, EventStore, QueueKey } from './event-store.js';
import { eventKeyOf } from './queue-key.js';

export interface EventLogOptions {
  readonly store: EventStore;
  readonly settle: SettleRule;
  readonly windowMs: number;
  /** The longest that a delivery may wait after its first attempt, in ms, if that is less than the window. @default the window */
  readonly mostAgeMs?: number | undefined;
  /** Returns a number in [0, 1). */
  random(): number;
}

/** What an attempt, or the end of the window, did to an event. */
export interface EventChange {
  /** The event before the change. */
  readonly before: StoredEvent;
  readonly url: string;
  /** The state of the delivery to the URL after the change. */
  readonly state: StoredState;
  readonly ending: EventEnd | undefined;
  readonly spared: readonly string[];
}

/** The result of a replay for one event. */
export interface Replayed {
  /** The URLs at which a delivery was restarted. */
  readonly begun: readonly string[];
  /** The URLs whose deliveries stay dead because it is not known where they should go. */
  readonly left: readonly string[];
  /** The URLs whose deliveries stay dead because the event already waits at the target or was delivered there. */
  readonly sent: readonly string[];
  /** True if the deliveries wait behind earlier ones of their user. */
  readonly isOrdered: boolean;
}

/** Returns the key under which the delivery waits for its next attempt; undefined if there is none. */
export const nextQueueKey = ({ before, url, state, spared }: EventChange): QueueKey | undefined =>
  state.phase === 'retrying' && !spared.includes(url) ? { at: state.due, id: before.id } : undefined;

/** The result of a cancellation for one event. */
export interface Cancelled {
  readonly before: StoredEvent;
  /** The event after the change; undefined when it was removed. */
  readonly after: StoredEvent | undefined;
  /** The URLs at which a delivery no longer waits. */
  readonly urls: readonly string[];
}

/** Returns the URLs at which a delivery no longer waits. */
export const endedAt = ({ url, state, spared }: EventChange): readonly string[] =>
  isWaiting(state) ? spared : [url, ...spared];

/** A running addition of events, with their first and last place in line. */
interface Adding {
  readonly from: number;
  readonly to: number;
  readonly work: Promise<unknown>;
}

/** Applies the pure delivery rules to the events in the store. */
export class EventLog {
  readonly #options: EventLogOptions;
  /** The running additions. They are tracked because a store may list events before they are safely stored. */
  readonly #adding: Adding[] = [];

  constructor(options: EventLogOptions) {
    this.#options = options;
  }

  /** Notes that events with the given places in line (ascending) are being added until `work` settles. */
  adding(places: readonly { readonly at: number }[], work: Promise<unknown>): void {
    const [first, last] = [places[0], places.at(-1)];
    if (first === undefined || last === undefined) return;
    const adding: Adding = { from: first.at, to: last.at, work };
    const done = (): unknown => this.#adding.splice(this.#adding.indexOf(adding), 1);
    this.#adding.push(adding);
    work.then(done, done);
  }

  /** Resolves once no event with that place is being added, whether the addition succeeded or failed. */
  async added({ at }: QueueKey): Promise<void> {
    if (this.#adding.length === 0) return;
    const adding = this.#adding.filter(({ from, to }) => from <= at && at <= to);
    await Promise.allSettled(adding.map(({ work }) => work));
  }

  /** Returns the state of the delivery and the source of its event, if the delivery still waits under that key. */
  async waitingAt(url: string, key: QueueKey): Promise<(Pick<StoredEvent, 'source'> & { state: Waiting }) | undefined> {
    const event = await this.#options.store.event(key.id, key.partition);
    const state = waitingAt(event, url, key);
    return state && { ...event, state };
  }

  isExpired(state: Waiting, now: number): boolean {
    return isExpired(state, now, this.#options.windowMs);
  }

  /** Records an attempt; undefined when the delivery no longer waits under that key. */
  record(url: string, key: QueueKey, attempt: Attempt, now: number): Promise<EventChange | undefined> {
    const { windowMs, mostAgeMs = Number.POSITIVE_INFINITY, random } = this.#options;
    return this.#move(url, key, (state) =>
      endTooOld(finish(state, { attempt, now, windowMs, random: random() }), now, mostAgeMs),
    );
  }

  expire(url: string, key: QueueKey, now: number, reason?: DeathReason): Promise<EventChange | undefined> {
    return this.#move(url, key, (state) => expire(state, now, reason));
  }

  /**
   * Restarts dead deliveries of the event, each at the URL that `targetOf` returns. A delivery stays dead if `targetOf` returns
   * undefined, or if the event already waits at the target or was delivered there.
   */
  async replay(
    key: EventKey,
    meant: (event: StoredEvent) => readonly string[],
    targetOf: (url: string) => string | undefined,
    place: number,
  ): Promise<Replayed> {
    const { settle } = this.#options;
    let moves: ReadonlyMap<string, string> = new Map();
    let isOrdered = false;
    const dead = await this.#changeDead(key, meant, (event, urls) => {
      moves = movesOf(event, urls, targetOf);
      isOrdered = event.isOrdered === true;
      return moves.size === 0 ? event : revive(event, moves, place, settle);
    });
    // If the last try of an update found nothing to do, results of an earlier try do not count.
    if (dead.length === 0) return { begun: [], left: [], sent: [], isOrdered };
    const begun = [...new Set(moves.values())];
    // With `any` the event is a single letter, so one new delivery is enough.
    if (settle === 'any' && moves.size > 0) return { begun, left: [], sent: [], isOrdered };
    const stays = dead.filter((url) => !moves.has(url));
    return {
      begun,
      left: stays.filter((url) => targetOf(url) === undefined),
      sent: stays.filter((url) => targetOf(url) !== undefined),
      isOrdered,
    };
  }

  /** Forgets the event with all its deliveries, and returns its last state; undefined when it no longer exists. */
  erase(read: Pick<StoredEvent, 'id' | 'user' | 'acceptedAt' | 'epoch'>): Promise<StoredEvent | undefined> {
    return this.#change(eventKeyOf(this.#options.store, read), (event) => {
      // A different event may have been stored under that id in the meantime.
      const isSame = event.acceptedAt === read.acceptedAt && event.epoch === read.epoch;
      return isSame ? [undefined, event] : [event, undefined];
    });
  }

  /** Ends waiting deliveries of the event. Resolves to undefined when none of the given deliveries waits. */
  cancel(key: EventKey, meant: (event: StoredEvent) => readonly string[]): Promise<Cancelled | undefined> {
    return this.#change(key, (before) => {
      const urls = meant(before);
      if (urls.length === 0) return [before, undefined];
      const after = cancel(before, urls);
      return [after, { before, after, urls }];
    });
  }

  /** Removes dead deliveries of the event, and returns their URLs. */
  discard(key: EventKey, meant: (event: StoredEvent) => readonly string[]): Promise<readonly string[]> {
    return this.#changeDead(key, meant, discard);
  }

  async #changeDead(
    key: EventKey,
    meant: (event: StoredEvent) => readonly string[],
    change: (event: StoredEvent, dead: readonly string[]) => StoredEvent | undefined,
  ): Promise<readonly string[]> {
    const changed = await this.#change(key, (event) => {
      const dead = meant(event);
      return [dead.length === 0 ? event : change(event, dead), dead];
    });
    return changed ?? [];
  }

  #move(url: string, key: QueueKey, change: (state: Waiting) => StoredState): Promise<EventChange | undefined> {
    return this.#change(key, (before) => {
      const waiting = waitingAt(before, url, key);
      if (waiting === undefined) return [before, undefined];
      const state = change(waiting);
      const { event: after, ending, spared } = advance(before, url, state, this.#options.settle);
      return [after, { before, url, state, ending, spared }];
    });
  }

  /** Changes the event, and resolves to the result that the last call of `change` returned with it. */
  async #change<T>(
    { id, partition }: EventKey,
    change: (event: StoredEvent) => readonly [after: StoredEvent | undefined, result: T],
  ): Promise<T | undefined> {
    let result: T | undefined;
    const changeIt = (event: StoredEvent): StoredEvent | undefined => {
      const [after, changed] = change(event);
      result = changed;
      return after;
    };
    await this.#options.store.update(id, changeIt, partition);
    return result;
  }
}

function waitingAt(event: StoredEvent | undefined, url: string, { at }: QueueKey): Waiting | undefined {
  const state = event?.urls[url];
  return state !== undefined && isWaiting(state) && state.due === at ? state : undefined;
}

function movesOf(
  { urls }: StoredEvent,
  dead: readonly string[],
  targetOf: (url: string) => string | undefined,
): ReadonlyMap<string, string> {
  const moves = new Map<string, string>();
  for (const from of dead) {
    const to = targetOf(from);
    if (to !== undefined && (urls[to] ?? urls[from])?.phase === 'dead') moves.set(from, to);
  }
  return moves;
}
