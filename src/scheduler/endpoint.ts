import type { Clock } from '../base/time/clock.js';
import type { Breaker, Failures, HealthListener } from '../delivery/health.js';
import type { Attempt, DeathReason } from '../delivery/state.js';
import type { Entry } from '../store/event-log.js';
import type { EventKey, QueueKey } from '../store/event-store.js';
import type { DueItem } from '../store/line.js';
import type { Bounds } from './backlog-bounds.js';

/** An attempt that was made, and what became of its event. */
export interface Made {
  readonly attempt: Attempt;
  /** Undefined when the event was settled while the request ran. */
  readonly entry: Entry | undefined;
  /** Holds what went over the wire, for those who asked for it. The scheduler does not look into it. */
  readonly exchange?: unknown;
}

export interface EndpointOptions {
  readonly url: string;
  readonly clock: Clock;
  /** From 0 up to, but not, 1. */
  random(): number;
  /** The most attempts at once. */
  readonly concurrency: number;
  /** For how long after its first attempt a delivery is tried again. */
  readonly windowMs: number;
  /** So many deliveries have waited since before this process. */
  readonly backlog: number;
  /** No more than this may wait. */
  readonly limit: Bounds;
  readonly deliveries: Deliveries;
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

/**
 * The intervals at which deliveries go out to one URL. An endpoint shares nothing with another: its own queue, its own limit,
 * its own breaker.
 */
export interface Endpoint {
  readonly url: string;
  /** Counts the deliveries that have no end yet, those in flight included. */
  readonly waiting: number;
  /** Counts the requests that run now. */
  readonly inFlight: number;
  readonly breaker: Breaker;
  /** True while most of the last attempts failed, whatever the reason. */
  readonly isFailing: boolean;
  /** The attempts that failed since the last success, in this process; undefined while there are none. */
  readonly failures: Failures | undefined;
  /** The time at which the earliest of what waits was or is due, in ms since 1970. */
  readonly oldestDue: number | undefined;
  /** The longest time, in ms, that a delivery has been due and not begun though this process has had room for it. */
  readonly dueUnclaimedMs: number;
  isInFlight(key: EventKey): boolean;
  /**
   * While it is paused it begins no request. What waits stays, and so does what it accepts; windows keep running by the clock. May be
   * called before `start`.
   */
  setPaused(isPaused: boolean): void;
  start(): void;
  /** Takes in a delivery that the store has just been given. That of an ordered event counts, and begins once `ready` tells of it. */
  accept(item: DueItem, isOrdered: boolean): void;
  /** The delivery of an ordered event has come in line. */
  ready(item: DueItem): void;
  /** A delivery that waited here has ended. Where it is told which, no request begins for it. */
  forget(item?: QueueKey): void;
  /** Begins nothing more. */
  stop(): void;
  /** Resolves once no request runs. */
  quiet(): Promise<void>;
}
