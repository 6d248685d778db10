import type { ResultClass } from '../../delivery/attempt-outcome.js';
import type { WebhookName } from './delivery-answers.js';
import type { HourTotals, LastHour } from './history-answers.js';

// The answers of the service's HTTP API. Every time is ISO 8601 in UTC with milliseconds.

export interface Health {
  readonly status: 'ok';
}

export interface SessionState {
  readonly signedIn: boolean;
  /** True when an admin token is configured, so that signing in is possible. */
  readonly enabled: boolean;
  /** True when the session began with a read-only token. */
  readonly readOnly: boolean;
}

/** Whether the service accepts messages, and why not. */
export interface Readiness {
  readonly ready: boolean;
  /** Why it accepts no messages; absent while it accepts them. */
  readonly code?: 'closing' | 'store-full' | 'store-unfit' | 'store-failed';
  /** The reason in words, with the numbers. */
  readonly reason?: string;
  /** Deliveries that are due but do not begin, although the service accepts messages. Absent while there are none. */
  readonly overdue?: string;
}

export interface Status {
  /** The answer of `/readyz`. */
  readonly readiness: Readiness;
  readonly version: string;
  /** @format date-time */
  readonly startedAt: string;
  readonly process: number;
  /** `error` tells why the last configuration that was read is not in use. */
  readonly config: {
    /** @format date-time */
    readonly loadedAt: string;
    readonly error?: string;
  };
  readonly store: {
    readonly type: string;
    /** The size of the store in bytes; null while it is unknown. */
    readonly bytes: number | null;
    /**
     * When the service last found that its store had been emptied, which loses waiting events; null if that has not happened
     * since the start.
     *
     * @format date-time
     */
    readonly emptiedAt: string | null;
  };
  readonly eventLoopDelayMs: { readonly p50: number; readonly p99: number; readonly max: number };
}

/** A call that changed something, or a new configuration that was applied. */
export interface ChangeReport {
  readonly id: string;
  /** @format date-time */
  readonly at: string;
  /** The name of the token; `admin` for `admin.token`; `configuration` for a reload. */
  readonly by: string;
  /** The method and path, such as `PUT /v1/destinations/crm/paused`, or `reload`. */
  readonly call: string;
  /** The sources of a deletion; absent if it was for all. */
  readonly sources?: readonly string[];
  /** The destination of a replay or discard; absent if it was for all. */
  readonly destination?: string;
  /** The job that a replay or discard of many deliveries began. The job has the filter. */
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
  /** The number of sources that match the query. */
  readonly found: number;
  /** The totals of all sources. */
  readonly lastHour: HourTotals;
}

export interface SourceReport {
  readonly name: string;
  readonly destinations: readonly string[];
  readonly trackSchema: { readonly allowed: readonly string[] | null; readonly blocked: readonly string[] };
  /** null if the source has no tracking plan. */
  readonly trackingPlan: {
    /** The number of events in the plan. */
    readonly events: number;
    readonly onViolation: 'allow' | 'report' | 'block';
    readonly onUnknownEvent: 'allow' | 'report' | 'block';
    /** The number of violations by reason, since the process started. */
    readonly violations: Readonly<Record<string, number>>;
  } | null;
  readonly lastHour: HourTotals;
}

/** The number of messages of one event that a source sent in one hour. */
export interface HourCount {
  /** The hour in UTC: `2026-11-20T12`. */
  readonly hour: string;
  /** The name of a track event; null for the other types. */
  readonly event: string | null;
  readonly type: string;
  readonly received: number;
  readonly blocked: number;
}

/** The state of a destination, the worst first. `removed`: it is no longer configured but still holds deliveries. */
export type DestinationState = 'failing' | 'recovering' | 'unsteady' | 'removed' | 'paused' | 'healthy' | 'off';

export interface DestinationPage {
  readonly destinations: readonly DestinationReport[];
  /** The number of destinations that match the query. */
  readonly found: number;
  /** The summary of all destinations, including removed ones. */
  readonly summary: {
    /** The number of destinations in each state. */
    readonly states: Readonly<Record<DestinationState, number>>;
    /** The number of waiting deliveries. */
    readonly waiting: number;
    /** Since when one of the deliveries has waited at least. @format date-time */
    readonly oldestWaitingAt: string | null;
    /** The number of dead letters, counted in events. */
    readonly deadLetters: number;
    /** The attempts of the last 60 minutes. */
    readonly lastHour: { readonly delivered: number; readonly failed: number };
  };
}

/** Who used a switch, as the name of the token, and when. */
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
  /** True if it was paused through the API: its deliveries wait even if they are due. */
  readonly paused: boolean;
  /** The name of the token that paused it, and when; null while it is not paused. */
  readonly pausedBy: Switched | null;
  /** The name of the token that enabled or disabled it, and when; null while the configuration decides. */
  readonly switchedBy: Switched | null;
  readonly sources: readonly string[];
  readonly settle: 'any' | 'each';
  readonly signed: boolean;
  readonly endpoints: readonly EndpointReport[];
  /** The number of waiting deliveries. */
  readonly waiting: number;
  /**
   * Since when a delivery has waited at least. It is exact for deliveries that were never tried. Of the retries, only the eight
   * that are due next at each webhook are considered, so one that is due later may be older. The value may be five seconds old.
   *
   * @format date-time
   */
  readonly oldestWaitingAt: string | null;
  /**
   * About when the first waiting delivery becomes a dead letter if it does not succeed; null while none was tried, or when
   * the destination is removed. A pause does not delay it.
   *
   * @format date-time
   */
  readonly firstDeathAt: string | null;
  /**
   * When the backlog will be empty at the pace of the last minutes; null if it does not shrink or nothing is sent. @format
   * date-time
   */
  readonly doneAt: string | null;
  readonly lastHour: LastHour;
  /** The number of dead letters, counted in events. */
  readonly deadLetters: number;
  /** The counts since the process started. */
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
    /** Dead letters that were dropped, by the limit of `maxDeadLetters` that they exceeded. */
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
  /** The failed attempts since the last success, as far as the process knows; null if there are none. */
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
