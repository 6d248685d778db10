import type { Clock } from '../base/time/clock.js';
import type { FailedBefore, HealthListener } from '../delivery/health.js';
import type { Attempt, DeathReason } from '../delivery/state.js';
import type { Entry } from '../store/event-log.js';
import type { EventStore, QueueKey } from '../store/event-store.js';
import type { DueItem } from '../store/line.js';
import type { Bounds } from './backlog-bounds.js';

/** An attempt that was made, and what became of its event. */
export interface Made {
  readonly attempt: Attempt;
  /** The source of its event, if it has one. */
  readonly source?: string | undefined;
  /** Undefined when the event was settled while the request ran. */
  readonly entry: Entry | undefined;
  /** Holds what went over the wire, for those who asked for it. The scheduler does not look into it. */
  readonly exchange?: unknown;
}

/** Makes the deliveries to one endpoint, and hears how the endpoint does. */
export interface Deliveries extends HealthListener {
  /** Tells whether the outcome of an attempt can be put on record. Nothing is begun while it cannot. */
  canRecord(): boolean;
  /** Makes one attempt and puts it on record; undefined when the item no longer waits. */
  attempt(item: DueItem): Promise<Made | undefined>;
  /** An attempt was made, and counts. */
  made(id: string, made: Made): void;
  /** Ends the delivery without another attempt, if it still waits under that key. */
  end(key: QueueKey, reason: DeathReason): Promise<void>;
  /** `waiting` was counted anew, so that it may have changed without a delivery that ended here. */
  counted(): void;
  /** The store could not be read or written. */
  failed(error: unknown): void;
}

export interface EndpointOptions {
  /** With lines of its own where several processes share it. */
  readonly store: EventStore;
  readonly url: string;
  readonly clock: Clock;
  /** From 0 up to, but not, 1. */
  random(): number;
  /** The most attempts at once. */
  readonly concurrency: number;
  /** A delivery is tried again for so long after its first attempt. */
  readonly windowMs: number;
  /** The number of deliveries that have waited since before this process. */
  readonly backlog: number;
  /** The most deliveries that may wait. */
  readonly limit: Bounds;
  readonly failedBefore?: FailedBefore | undefined;
  readonly deliveries: Deliveries;
}
