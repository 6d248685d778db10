import type { Clock } from '../base/time/clock.js';
import type { Backlog, EventStore, QueueKey, Stage } from './event-store.js';

/** A waiting delivery. Fields of its event are present if they were already in memory. */
export interface DueItem extends QueueKey {
  readonly body?: Uint8Array | undefined;
  readonly source?: string | undefined;
  /** The count of user deletions when the event was accepted. */
  readonly epoch?: number | undefined;
}

/** An item that only its taker may attempt until it is settled, put back or released. */
export interface Taken {
  readonly item: DueItem;
  readonly stage: Stage;
}

/** What an endpoint passes to the line that it takes from. */
export interface LineOptions {
  readonly url: string;
  readonly clock: Clock;
  /** How long after its first attempt a delivery is retried, in ms. */
  readonly windowMs: number;
  /** The number of deliveries that were already waiting when this process started. */
  readonly backlog: number;
  /** Returns how many attempts may start now. */
  room(): number;
  /** Returns how many more deliveries may be claimed from the shared store, because there will soon be room for them. */
  ahead(): number;
  /** Called when there may be something new to take. */
  onNews(): void;
  /** Called when `waiting` was counted again, so that it may have changed although no delivery ended here. */
  onCounted(): void;
  onError(error: unknown): void;
}

/**
 * The deliveries that wait for one URL, in the order in which they are sent: first attempts in the order in which they were
 * accepted, then retries that are due. If several processes share a store, only one of them holds an item at a time.
 */
export interface Line {
  /** The number of deliveries that have not ended, including those that are taken. */
  readonly waiting: number;
  /** When the earliest waiting delivery was or is due, in ms since 1970. */
  readonly oldestDue: number | undefined;
  /** How often to look for expired deliveries while no attempt may start, in ms. */
  readonly expireEveryMs: number;
  /** Starts taking part in the deliveries. */
  start(): void;
  /** Takes no more items, and gives up those that were not started. */
  stop(): void;
  /** Resolves once no background work of the line is running. */
  quiet(): Promise<void>;
  /** Called when a delivery was added to the store. An ordered one must not be taken before `ready` announces it. */
  accept(item: DueItem, isOrdered: boolean): void;
  /** Called when the delivery of an ordered event has entered the line. A line that finds out by itself does nothing. */
  ready(item: DueItem): void;
  /** Stops a delivery that is about to be ended from being taken. Returns true if the line held it, so it can be put back. */
  withdraw(item: QueueKey): boolean;
  /** Called when a waiting delivery has ended. If the item is given, it is no longer taken. */
  forget(item?: QueueKey): void;
  /**
   * Returns the next item that may start now. First attempts go before retries, so that new events do not wait for failing ones.
   */
  take(now: number): Taken | undefined;
  /** Call this once the outcome is recorded. The delivery waits again under the key `next`, or not if that is undefined. */
  settle(taken: Taken, next: QueueKey | undefined): void;
  /** Call this when the attempt did not take place. The delivery waits as before. */
  putBack(taken: Taken): void;
  /** Call this when there was nothing to do for the item, or when the outcome is unknown. */
  release(taken: Taken): void;
  /** Loads items so that there is something to take; undefined when that is not necessary. */
  fill(): Promise<unknown> | undefined;
  /** Returns when the next item becomes due, if `onNews` will not announce it. */
  nextDue(now: number): number | undefined;
  /** Resolves to the waiting deliveries as the store counts them; undefined if none wait. */
  count(): Promise<Pick<Backlog, 'first' | 'retry' | 'bytes'> | undefined>;
  /**
   * Returns true if this process is to end deliveries that exceed the limits on age or number. Of several processes that share a
   * store, one has that task at a time.
   */
  hasTurn(): boolean | Promise<boolean>;
}

/** A store that several processes may have open. For any other store, the only process keeps the lines in memory. */
export interface StoreWithLines extends EventStore {
  line(options: LineOptions): Line;
  /** Calls `onWork` when a delivery waits for a URL that has no line here yet, until the returned function is called. */
  watch(url: string, windowMs: number, onWork: () => void): () => void;
}

export const hasLines = (store: EventStore): store is StoreWithLines => 'line' in store;
