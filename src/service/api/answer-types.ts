import type { ResultClass } from '../../delivery/attempt-outcome.js';
import type { WebhookName } from './delivery-answers.js';
import type { LastHour } from './history-answers.js';

// The answers of the service's HTTP API. Every time is ISO 8601 in UTC with milliseconds.

export interface Health {
  readonly status: 'ok';
}

export interface SessionState {
  readonly signedIn: boolean;
  /** True when the configuration has an admin token to sign in with. */
  readonly enabled: boolean;
  /** True when the session began with a token that may change nothing. */
  readonly readOnly: boolean;
}

/** Says whether the service takes messages, and why not. */
export interface Readiness {
  readonly ready: boolean;
  /** The reason why it takes none; absent while it does. */
  readonly code?: 'closing' | 'store-full' | 'store-unfit' | 'store-failed';
  /** The same in words, with the numbers. */
  readonly reason?: string;
  /** Says which deliveries are due and do not begin, although the service takes messages. Absent while there are none. */
  readonly overdue?: string;
}

export interface Status {
  /** The answer of `/readyz`. */
  readonly readiness: Readiness;
  readonly version: string;
  /** @format date-time */
  readonly startedAt: string;
  readonly process: number;
  /** `error`: why the configuration that was read last is not the one in use. */
  readonly config: {
    /** @format date-time */
    readonly loadedAt: string;
    readonly error?: string;
  };
  readonly store: {
    readonly type: string;
    /** null while the store does not say. */
    readonly bytes: number | null;
    /**
     * When the service last found that somebody had emptied the store under it, which loses what waited; null when that never happened
     * since it started.
     *
     * @format date-time
     */
    readonly emptiedAt: string | null;
  };
  readonly eventLoopDelayMs: { readonly p50: number; readonly p99: number; readonly max: number };
}

/** A call that changed something, or another configuration that the service has taken. */
export interface ChangeReport {
  readonly id: string;
  /** @format date-time */
  readonly at: string;
  /** The name of the token; `admin` for `admin.token`; `configuration` for a reload. */
  readonly by: string;
  /** Method and path: `PUT /v1/destinations/crm/paused`; or `reload`. */
  readonly call: string;
  /** The sources of a deletion; absent when it was of all of them. */
  readonly sources?: readonly string[];
  /** The destination of a replay or discard; absent when it was for all of them. */
  readonly destination?: string;
  /** The job that a replay or discard of many began, which has its filter. */
  readonly job?: string;
  /** The value of the switch before and after a call that sets one. */
  readonly before?: boolean;
  readonly value?: boolean;
  /** The numbers in the answer to the call, such as `joined` and `left` of an audience. */
  readonly counts?: Readonly<Record<string, number>>;
  /** What a reload has changed, one line each. */
  readonly changes?: readonly string[];
  readonly status: number;
}

/** Sources, in the order of the configuration. */
export interface SourcePage {
  readonly sources: readonly SourceReport[];
  /** The number of those that match the query. */
  readonly found: number;
  /** The totals of all sources together. */
  readonly lastHour: HourTotals;
}

export interface SourceReport {
  readonly name: string;
  readonly destinations: readonly string[];
  readonly trackSchema: { readonly allowed: readonly string[] | null; readonly blocked: readonly string[] };
  /** null when the source has none. */
  readonly trackingPlan: {
    /** The number of events in the plan. */
    readonly events: number;
    readonly onViolation: 'allow' | 'report' | 'block';
    readonly onUnknownEvent: 'allow' | 'report' | 'block';
    /** By reason, since the process started. */
    readonly violations: Readonly<Record<string, number>>;
  } | null;
  readonly lastHour: HourTotals;
}

export interface HourTotals {
  readonly received: number;
  readonly rejected: number;
  readonly blocked: number;
  readonly forwarded: number;
}

/** The messages of one event that a source sent in one hour. */
export interface HourCount {
  /** `2026-11-20T12`, in UTC. */
  readonly hour: string;
  /** The name of a track event; null for the other types. */
  readonly event: string | null;
  readonly type: string;
  readonly received: number;
  readonly blocked: number;
}

/** The state of a destination in one word; the worst first. `removed`: the configuration no longer has it, and it has something left. */
export type DestinationState = 'failing' | 'recovering' | 'unsteady' | 'removed' | 'paused' | 'healthy' | 'off';

export interface DestinationPage {
  readonly destinations: readonly DestinationReport[];
  /** The number of those that match the query. */
  readonly found: number;
  /** Sums up all destinations, also those that the configuration no longer has. */
  readonly summary: {
    /** The number of destinations in each state. */
    readonly states: Readonly<Record<DestinationState, number>>;
    /** Deliveries. */
    readonly waiting: number;
    /** The time since when one of them has waited at least. @format date-time */
    readonly oldestWaitingAt: string | null;
    /** Events. */
    readonly deadLetters: number;
    /** Attempts of the last 60 minutes. */
    readonly lastHour: { readonly delivered: number; readonly failed: number };
  };
}

/** Who used a switch, by the name of the token, and when. */
export interface Switched {
  readonly by: string;
  /** @format date-time */
  readonly at: string;
}

export interface DestinationReport {
  readonly name: string;
  readonly state: DestinationState;
  readonly type: string;
  readonly enabled: boolean;
  readonly configuredEnabled: boolean;
  /** True when it was paused through the API: its deliveries wait although they are due. */
  readonly paused: boolean;
  /** The name of the token with which it was paused, and when; null while it is not paused. */
  readonly pausedBy: Switched | null;
  /** The name of the token that enabled or disabled it, and when; null while the configuration decides. */
  readonly switchedBy: Switched | null;
  readonly sources: readonly string[];
  readonly settle: 'any' | 'each';
  readonly signed: boolean;
  readonly endpoints: readonly EndpointReport[];
  /** Deliveries. */
  readonly waiting: number;
  /**
   * The time since when a delivery has waited at least. It is exact for deliveries that were never tried; of retries, the oldest of the eight that
   * each webhook has due next counts, so one due later may be older. It may be five seconds behind.
   *
   * @format date-time
   */
  readonly oldestWaitingAt: string | null;
  /**
   * About when the first of the deliveries that wait becomes a dead letter, unless it succeeds before; null while none was tried, and
   * while nothing is sent because the destination is paused or removed.
   *
   * @format date-time
   */
  readonly firstDeathAt: string | null;
  /** When the backlog will be empty at the pace of the last minutes; null while it does not shrink, or nothing is sent. @format date-time */
  readonly doneAt: string | null;
  readonly lastHour: LastHour;
  /** Events. */
  readonly deadLetters: number;
  /** Since the process started. */
  readonly counters: {
    readonly accepted: number;
    readonly skipped: number;
    readonly duplicates: number;
    readonly attempts: number;
    readonly results: Readonly<Record<ResultClass, number>>;
    readonly delivered: number;
    readonly dead: number;
    /** Events whose user was deleted while they waited. */
    readonly erased: number;
    /** Events that were discarded while they waited. */
    readonly discarded: number;
    readonly backlogFull: number;
    readonly replayed: number;
    /** Dead letters that were dropped, by the bound of `maxDeadLetters` that they were beyond. */
    readonly dropped: { readonly age: number; readonly count: number; readonly bytes: number };
  };
}

export interface EndpointReport extends WebhookName {
  /** The state of its circuit breaker. */
  readonly state: 'closed' | 'open' | 'half-open';
  /** @format date-time */
  readonly openUntil: string | null;
  readonly failing: boolean;
  /** When the current failures began, across restarts; null while attempts succeed. @format date-time */
  readonly failingSince: string | null;
  /** The attempts that failed since the last success, as far as the process knows; null while there are none. */
  readonly lastFailures: {
    readonly inARow: number;
    /** When the last of them began. @format date-time */
    readonly at: string;
    /** The status, or Node's name of the error: `503`, `ECONNREFUSED`, `TIMEOUT`. */
    readonly result: string;
  } | null;
  readonly inFlight: number;
  readonly waiting: number;
  /** @format date-time */
  readonly oldestDue: string | null;
}
