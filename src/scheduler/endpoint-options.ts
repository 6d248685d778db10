import type { Clock } from '../base/time/clock.js';
import type { FailedBefore, HealthListener } from '../delivery/health.js';
import type { Attempt, DeathReason } from '../delivery/state.js';
import type { EventChange } from '../store/event-log.js';
import type { EventStore, QueueKey } from '../store/event-store.js';
import type { DueItem } from '../store/line.js';
import type { Bounds } from './backlog-bounds.js';

/** An attempt that was made, and the resulting state of its event. */
export interface Made {
  readonly attempt: Attempt;
  /** The source of the event, if it has one. */
  readonly source?: string | undefined;
  /** Undefined if the event was finished while the request ran. */
  readonly entry: EventChange | undefined;
  /** The transferred request and response, for callers who asked for them. The scheduler does not read it. */
  readonly exchange?: unknown;
}

/** Makes the deliveries to one endpoint, and is notified of the endpoint's health. */
export interface Deliveries extends HealthListener {
  /** Makes one attempt and records it; undefined if the item no longer waits. */
  attempt(item: DueItem): Promise<Made | undefined>;
  /** Called after an attempt was made and counted. */
  made(id: string, made: Made): void;
  /** Ends the delivery without another attempt, if it still waits under this key. */
  end(key: QueueKey, reason: DeathReason): Promise<void>;
  /** Called when `waiting` may have changed although no delivery ended here. */
  counted(): void;
  /** Called when the store could not be read or written. */
  failed(error: unknown): void;
}

export interface EndpointOptions {
  /**
   * The store. If several processes share it, the store itself provides the line of the endpoint. The endpoint begins nothing
   * while the store cannot record the result.
   */
  readonly store: EventStore;
  readonly url: string;
  readonly clock: Clock;
  /** Returns a random number in [0, 1). */
  random(): number;
  /** The most concurrent attempts. */
  readonly concurrency: number;
  /** How long a delivery is retried after its first attempt, in milliseconds. */
  readonly windowMs: number;
  /** The number of deliveries that were waiting when this process started. */
  readonly backlog: number;
  /** The limits on deliveries that may wait. */
  readonly limit: Bounds;
  readonly failedBefore?: FailedBefore | undefined;
  readonly deliveries: Deliveries;
}
