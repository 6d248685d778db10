import type { Breaker } from '../delivery/health.js';
import type { Attempt, DeathReason } from '../delivery/state.js';
import type { EventType } from '../protocol/field-table.js';
import type { EndpointName, WebhookName } from './endpoints/known-webhooks.js';

/** One attempt was made. */
export interface AttemptReport extends EndpointName {
  id: string;
  /** Undefined when another endpoint settled the event during the request. */
  type: EventType | undefined;
  attempt: Attempt;
  /** The number of this attempt, starting at 1; undefined when another endpoint had settled the event. */
  number: number | undefined;
  /** When the next attempt is due, in milliseconds since 1970; undefined when there will be none. */
  nextAttemptAt: number | undefined;
  /** The trace in which the event was accepted, as a W3C `traceparent`, if there was one. */
  trace?: string;
}

/** An event was delivered. With the rule `any` this is reported once per event, with `each` once per endpoint. */
export interface DeliveredReport extends EndpointName {
  id: string;
  type: EventType;
  /** The time since the event was accepted, in milliseconds. */
  tookMs: number;
}

/** An event became a dead letter. With the rule `any` this is reported once per event, with `each` once per endpoint. */
export interface DeadReport {
  id: string;
  type: EventType;
  endpoints: (WebhookName & { reason: DeathReason; attempts: readonly Attempt[] })[];
}

/** `open`: the last attempts failed, and nothing is sent for a while. `half-open`: one delivery is sent to test the endpoint. */
export interface BreakerReport extends EndpointName {
  state: Breaker['phase'];
  /** Milliseconds since 1970. */
  openUntil: number | undefined;
}

export interface FailingReport extends EndpointName {
  failed: number;
  /** The number of attempts from which the rate is computed. */
  attempts: number;
  /** The attempt that failed last. */
  last: Attempt;
  /** When the first failure since the last success began, in milliseconds since 1970. */
  since: number;
}

/** Why a dead letter is no longer kept. */
export type DropReason = 'age' | 'count' | 'bytes';

/** The events that a destination emits, with their reports. */
export interface DestinationEvents {
  attempt: AttemptReport;
  delivered: DeliveredReport;
  dead: DeadReport;
  /** The circuit breaker of an endpoint has changed its state. */
  breaker: BreakerReport;
  /** Most of the last attempts at an endpoint failed, for whatever reason. */
  failing: FailingReport;
  /** Most attempts at an endpoint succeed again. */
  recovered: EndpointName;
  /** Dead letters were deleted because of `maxDeadLetters`. */
  dropped: { reason: DropReason; events: number };
  /** The store could not be read or written; the operation is retried. Without a listener, the process emits a warning. */
  error: { error: unknown };
}
