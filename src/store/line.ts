import type { Clock } from '../base/time/clock.js';
import type { Backlog, EventStore, QueueKey, Stage } from './event-store.js';

/** A delivery that waits. What it has of its event is there when it was at hand. */
export interface DueItem extends QueueKey {
  readonly body?: Uint8Array | undefined;
  readonly source?: string | undefined;
  /** The epoch of the event. */
  readonly epoch?: number | undefined;
}

/** An item that is its taker's until it is settled, put back or released. */
export interface Taken {
  readonly item: DueItem;
  readonly stage: Stage;
}

/** An endpoint gives these to the line that it takes from. */
export interface LineOptions {
  readonly url: string;
  readonly clock: Clock;
  /** A delivery is tried again for this long after its first attempt, in ms. */
  readonly windowMs: number;
  /** The number of deliveries that have waited since before this process. */
  readonly backlog: number;
  /** Returns how many attempts may begin now. */
  room(): number;
  /** Returns how many more than that may be taken from the other processes, as there will soon be room for them. */
  ahead(): number;
  /** Called when there may be something to take that was not there before. */
  onNews(): void;
  /** `waiting` was counted anew, so that it may have changed without a delivery that ended here. */
  onCounted(): void;
  onError(error: unknown): void;
}

/**
 * The deliveries that wait for one URL, in the order in which they go out: first attempts in the order in which they were accepted, then whatever
 * is due. Where several processes share a store, an item is taken by one of them at a time.
 */
export interface Line {
  /** The number of deliveries that have no end yet, those that are taken included. */
  readonly waiting: number;
  /** When the earliest of what waits was or is due, in ms since 1970. */
  readonly oldestDue: number | undefined;
  /** While nothing may begin, deliveries that have outlived their window are to be looked for this often, in ms. */
  readonly expireEveryMs: number;
  /** Takes part from now on. */
  start(): void;
  /** Takes no more, and lets go of what was not begun. */
  stop(): void;
  /** Resolves once nothing is being done for it. */
  quiet(): Promise<void>;
  /** A delivery was added to the store. That of an ordered event is not to be taken before `ready` tells of it. */
  accept(item: DueItem, isOrdered: boolean): void;
  /** The delivery of an ordered event has come in line. A line that finds such deliveries itself does nothing. */
  ready(item: DueItem): void;
  /** The delivery, which is about to be ended, is not taken any more. Says whether it was at hand, so that it can be put back. */
  withdraw(item: QueueKey): boolean;
  /** A delivery that waited has ended. Where it is told which, that one is not taken any more. */
  forget(item?: QueueKey): void;
  /** The next item that may begin now. First attempts go before retries: what is new must not wait for what keeps failing. */
  take(now: number): Taken | undefined;
  /** Call this once the outcome is on record. The delivery waits again under that key, or, without one, no more. */
  settle(taken: Taken, next: QueueKey | undefined): void;
  /** Call this when nothing came of it: it waits as before. */
  putBack(taken: Taken): void;
  /** Call this when there was nothing to do for it, or nothing is known of what was done. */
  release(taken: Taken): void;
  /** Sees to it that there is something to take; undefined when there is no need. */
  fill(): Promise<unknown> | undefined;
  /** When the next item is due that is not due yet, where `onNews` will not tell. */
  nextDue(now: number): number | undefined;
  /** Resolves to what waits, as the store counts it; undefined for nothing. */
  count(): Promise<Pick<Backlog, 'first' | 'retry' | 'bytes'> | undefined>;
  /** Returns true if this process is to end what waits too long, or is too much. Of several that share a store, one at a time has that turn. */
  hasTurn(): boolean | Promise<boolean>;
}

/** A store that several processes may have open. Any other has its lines in the memory of the process that has it. */
export interface StoreWithLines extends EventStore {
  line(options: LineOptions): Line;
  /** Calls back once something waits for the URL, which has no line here yet, until the function it returns is called. */
  watch(url: string, windowMs: number, onWork: () => void): () => void;
}

export const hasLines = (store: EventStore): store is StoreWithLines => 'line' in store;
