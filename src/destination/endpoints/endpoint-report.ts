import type { Failures } from '../../delivery/health.js';
import type { Endpoint } from '../../scheduler/line-endpoint.js';
import type { WebhookName } from './known-webhooks.js';

/** An endpoint as it is now. */
export interface EndpointReport extends WebhookName {
  /**
   * The state of its circuit breaker. `closed`: all is well. `open`: left alone after failing many times in a row. `half-open`: tried with
   * one delivery to see.
   */
  state: 'closed' | 'open' | 'half-open';
  /** In ms since 1970. */
  openUntil: number | undefined;
  /** True while most of its last ten attempts failed, whatever the reason. */
  failing: boolean;
  /** When the current failures began, in ms since 1970; undefined while attempts succeed. */
  failingSince: number | undefined;
  /** The attempts that failed since the last success, as far as this process knows; undefined while there are none. */
  lastFailures: LastFailures | undefined;
  /** Requests that run now. */
  inFlight: number;
  /** Deliveries without an end, those in flight included. */
  waiting: number;
  /** The time at which the earliest of what waits was or is due, in ms since 1970. */
  oldestDue: number | undefined;
  /**
   * The longest time that a delivery has been due and no process has begun it, although this one is not paused, its breaker closed, and a request
   * could have begun all that time, in ms: 0 unless something is wrong. With Redis it may be half a minute behind.
   */
  dueUnclaimedMs: number;
}

/** Attempts that failed one after another. */
export interface LastFailures {
  readonly inARow: number;
  /** When the last of them began, in ms since 1970. */
  readonly at: number;
  /** The status, or Node's name of the error: `503`, `ECONNREFUSED`, `TIMEOUT`. */
  readonly result: string;
}

/** @param endpoint is undefined where it never had work */
export function reportOf(name: WebhookName, endpoint: Endpoint | undefined): EndpointReport {
  if (endpoint === undefined) return { ...name, ...QUIET };
  const { inFlight, waiting, oldestDue, dueUnclaimedMs } = endpoint;
  const { breaker, isFailing, failures, failingSince } = endpoint.health;
  return {
    ...name,
    state: breaker.phase,
    openUntil: breaker.phase === 'open' ? breaker.until : undefined,
    failing: isFailing,
    failingSince,
    lastFailures: failures && lastFailuresOf(failures),
    inFlight,
    waiting,
    oldestDue: oldestDue === undefined ? undefined : Math.floor(oldestDue),
    dueUnclaimedMs,
  };
}

const lastFailuresOf = ({ inARow, last: { at, status, code, result } }: Failures): LastFailures => ({
  inARow,
  at,
  result: String(status ?? code ?? result),
});

/** The report of an endpoint that never had work. */
const QUIET = {
  state: 'closed',
  openUntil: undefined,
  failing: false,
  failingSince: undefined,
  lastFailures: undefined,
  inFlight: 0,
  waiting: 0,
  oldestDue: undefined,
  dueUnclaimedMs: 0,
} satisfies Omit<EndpointReport, keyof WebhookName>;
