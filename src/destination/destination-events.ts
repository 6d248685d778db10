import type { Breaker } from '../delivery/health.js';
import type { Attempt, DeathReason } from '../delivery/state.js';
import type { EventType } from '../protocol/field-table.js';
import type { EndpointName, WebhookName } from './endpoints/known-webhooks.js';

/** One attempt was made. */
export interface AttemptReport extends EndpointName {
  id: string;
  /** Undefined when another endpoint settled the event while the request ran. */
  type: EventType | undefined;
  attempt: Attempt;
  /** 1, and one more for each repetition; undefined when another endpoint had settled the event. */
  number: number | undefined;
  /** When the next attempt is due, in ms since 1970; undefined when there will be none. */
  nextAttemptAt: number | undefined;
  /** The trace in which the event was accepted, as W3C's `traceparent`, if there was one. */
  trace?: string;
}

/** An event arrived: with the rule `any` once for the event, with `each` once for every endpoint. */
export interface DeliveredReport extends EndpointName {
  id: string;
  type: EventType;
  /** The time since it was accepted, in ms. */
  tookMs: number;
}

/** An event became a dead letter: with the rule `any` once for the event, with `each` once for every endpoint. */
export interface DeadReport {
  id: string;
  type: EventType;
  endpoints: (WebhookName & { reason: DeathReason; attempts: readonly Attempt[] })[];
}

/** `open`: the last attempts at the endpoint failed, and nothing more is sent to it for a while. `half-open`: it is tried with one delivery. */
export interface BreakerReport extends EndpointName {
  state: Breaker['phase'];
  /** In ms since 1970. */
  openUntil: number | undefined;
}

export interface FailingReport extends EndpointName {
  failed: number;
  /** The number of attempts that the rate is of. */
  attempts: number;
  /** The one that failed last. */
  last: Attempt;
  /** When the first failure since the last success began, in ms since 1970. */
  since: number;
}

/** The reason why a dead letter is not kept any longer. */
export type DropReason = 'age' | 'count' | 'bytes';

/** The events of a destination, which it reports as they happen. */
export interface DestinationEvents {
  attempt: AttemptReport;
  delivered: DeliveredReport;
  dead: DeadReport;
  /** The circuit breaker of an endpoint has changed its state. */
  breaker: BreakerReport;
  /** Most of the last attempts at an endpoint failed, whatever the reason. */
  failing: FailingReport;
  /** An endpoint takes most of what it is sent again. */
  recovered: EndpointName;
  /** Dead letters were let go of, as `maxDeadLetters` says. */
  dropped: { reason: DropReason; events: number };
  /** The store could not be read or written, which is tried again. Without a listener, the process emits a warning. */
  error: { error: unknown };
}
