import type { QueueKey } from '../store/event-store.js';
import type { DueItem, LineCount, TakenDelivery } from '../store/line.js';
import type { EndpointOptions } from './endpoint-options.js';

/** What an endpoint passes to the queue that it takes from. */
export interface QueueOptions extends Pick<EndpointOptions, 'store' | 'url' | 'clock' | 'windowMs' | 'backlog'> {
  /** Returns how many attempts may start now. */
  room(): number;
  /** Returns how many more deliveries may be taken from a shared store, because there will soon be room for them. */
  ahead(): number;
  /** Called when there may be something new to take. */
  onNews(): void;
  /** Called when `waiting` was counted again, so that it may have changed although no delivery ended here. */
  onCounted(): void;
  onError(error: unknown): void;
}

/**
 * The deliveries that wait for one URL, in the order in which they are sent: first attempts in the order in which they were
 * accepted, then retries that are due.
 */
export interface Queue {
  /** The number of deliveries that have not ended. In a shared store it may lack some that are taken here. */
  readonly waiting: number;
  /** When the earliest waiting delivery was or is due, in ms since 1970. */
  readonly oldestDue: number | undefined;
  /** Called when a delivery was added to the store. An ordered one must not be taken before `ready` announces it. */
  accept(item: DueItem, isOrdered: boolean): void;
  /** Called when the delivery of an ordered event has entered the line. */
  ready(item: DueItem): void;
  /** Stops a delivery that is about to be ended from being taken. Returns true if it was in memory, so it can be put back. */
  withdraw(item: QueueKey): boolean;
  /** Called when a waiting delivery has ended. If the item is given, it is no longer taken. */
  forget(item?: QueueKey): void;
  /** Returns the next item that may start now. First attempts go first, so that new events do not wait for failing ones. */
  take(now: number): TakenDelivery | undefined;
  /** Call this once the outcome is recorded, or if there was none. The delivery waits again under the key `next` if that is given. */
  settle(taken: TakenDelivery, next: QueueKey | undefined): void;
  /** Call this when the attempt did not take place. The delivery waits as before. */
  putBack(taken: TakenDelivery): void;
  /** Loads items so that there is something to take; undefined when that is not necessary. */
  fill(): Promise<unknown> | undefined;
  /** Returns when the next item becomes due; undefined if `onNews` will announce it. */
  nextDue(now: number): number | undefined;
  /** Resolves to the waiting deliveries as the store counts them; undefined if none wait. */
  count(): Promise<Pick<LineCount, 'first' | 'retry' | 'bytes'> | undefined>;
  /** Returns true if this process is to end deliveries that exceed the limits on age or number. */
  hasTurn(): boolean | Promise<boolean>;
  /** Takes no more items, and gives up those that were not started. */
  stop(): void;
  /** Resolves once no background work of the queue is running. */
  quiet(): Promise<void>;
}
