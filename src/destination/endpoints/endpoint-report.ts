import { CLOSED } from '../../delivery/health.js';
import { resultOf } from '../../delivery/state.js';
import type { LineEndpoint } from '../../scheduler/line-endpoint.js';
import type { WebhookName } from './known-webhooks.js';

/** The current state of an endpoint. */
export interface EndpointReport extends WebhookName {
  /**
   * The state of its circuit breaker. `closed`: deliveries are sent. `open`: nothing is sent for a while, because many attempts
   * in a row failed. `half-open`: one delivery is sent to test the endpoint.
   */
  state: 'closed' | 'open' | 'half-open';
  /** Milliseconds since 1970. */
  openUntil: number | undefined;
  /** True while most of its last ten attempts failed, for whatever reason. */
  failing: boolean;
  /** When the current run of failures began, in milliseconds since 1970; undefined while attempts succeed. */
  failingSince: number | undefined;
  /** The attempts that failed since the last success, as far as this process knows; undefined if there are none. */
  lastFailures: LastFailures | undefined;
  /** The number of running requests. */
  inFlight: number;
  /** The number of deliveries that have not ended, including running ones. */
  waiting: number;
  /** When the earliest waiting delivery was or is due, in milliseconds since 1970. */
  oldestDue: number | undefined;
  /**
   * The longest time, in milliseconds, for which a delivery has been due without any process starting it, although this process
   * is not paused, the breaker is closed, and a request slot was free all that time. It is 0 unless something is wrong. With
   * Redis it may lag by half a minute.
   */
  dueUnclaimedMs: number;
}

/** A run of failed attempts. */
export interface LastFailures {
  readonly inARow: number;
  /** When the last of them began, in milliseconds since 1970. */
  readonly at: number;
  /** The status, or Node's code of the error: `503`, `ECONNREFUSED`, `TIMEOUT`. */
  readonly result: string;
}

type Measured = Pick<LineEndpoint, 'health' | 'inFlight' | 'waiting' | 'oldestDue' | 'dueUnclaimedMs'>;

/** @param endpoint is undefined if there was never a delivery for it */
export function reportOf(name: WebhookName, endpoint: Measured | undefined): EndpointReport {
  const { health, inFlight = 0, waiting = 0, oldestDue, dueUnclaimedMs = 0 }: Partial<Measured> = endpoint ?? {};
  const { breaker = CLOSED, isFailing = false, failures, failingSince }: Partial<Measured['health']> = health ?? {};
  return {
    ...name,
    state: breaker.phase,
    openUntil: breaker.phase === 'open' ? breaker.until : undefined,
    failing: isFailing,
    failingSince,
    lastFailures: failures && { inARow: failures.inARow, at: failures.last.at, result: resultOf(failures.last) },
    inFlight,
    waiting,
    oldestDue: oldestDue === undefined ? undefined : Math.floor(oldestDue),
    dueUnclaimedMs,
  };
}
