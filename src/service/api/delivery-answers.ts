import type { Attempt, DeathReason } from '../../delivery/state.js';
import type { EventType } from '../../protocol/field-table.js';

// The answers of the API about single deliveries. Every time is ISO 8601 in UTC with milliseconds.

export interface WebhookName {
  /** The `id` in the webhook's settings, if it has one. */
  readonly id?: string;
  /** The URL, with `***` in place of anything that may be secret. */
  readonly url: string;
}

/** One delivery attempt. */
export interface AttemptReport extends Omit<Attempt, 'at' | 'answer'> {
  /** @format date-time */
  readonly at: string;
  /** The request, if it is kept. Its body is the `message` of the delivery. */
  readonly sent?: { readonly headers: Readonly<Record<string, string>> };
  /** The answer of the endpoint, if it is kept. */
  readonly answer?: AnswerReport;
}

/** An answer of an endpoint, with `***` in place of the webhook's secrets. */
export interface AnswerReport {
  /** Empty if they are not kept. */
  readonly headers: Readonly<Record<string, string>>;
  /** The first 2 KB of the body. */
  readonly text: string;
  /** True if the body was longer. */
  readonly isCut: boolean;
}

/** The state of one message at one destination, and the reason for it. */
export interface DeliveryExplanation {
  readonly destination: string;
  readonly id: string;
  readonly type: EventType;
  /** The source that sent the message; null if it is not known. */
  readonly source: string | null;
  /** @format date-time */
  readonly acceptedAt: string;
  readonly settle: 'any' | 'each';
  /** The body that is sent; null if it is no longer kept. */
  readonly message: unknown;
  readonly endpoints: readonly EndpointExplanation[];
}

export interface EndpointExplanation extends WebhookName {
  /** `spared`: it no longer waits, and the kept attempts do not say how it ended. */
  readonly phase: 'pending' | 'in flight' | 'retrying' | 'delivered' | 'dead' | 'spared';
  readonly why: string;
  /** The rule that applied to the last answer, in words. */
  readonly rule: string | null;
  readonly failing: boolean;
  /** @format date-time */
  readonly nextAttemptAt: string | null;
  /** @format date-time */
  readonly triedUntil: string | null;
  readonly attempts: readonly AttemptReport[];
}

/** A filter of deliveries for lists, replays and discards. A delivery matches if all given fields match. */
export interface DeliveryFilter {
  readonly destination?: string | undefined;
  /** The `messageId`. */
  readonly id?: string | undefined;
  /** The `userId` or, without one, the `anonymousId`. */
  readonly user?: string | undefined;
  /** The name of a track event, or a message type. */
  readonly event?: string | undefined;
  /** The webhook: its `id`, its URL, or a part of the URL. */
  readonly endpoint?: string | undefined;
  /** The result of the last attempt: `503`, `5xx`, `timeout`, `ECONNREFUSED`. */
  readonly status?: string | undefined;
  /** Why it was given up. With a reason, the filter matches only dead letters. */
  readonly reason?: DeathReason | undefined;
  /** Which time `from` and `to` limit: that of the last attempt, or of the acceptance of the event. @default 'attempt' */
  readonly by?: 'attempt' | 'acceptance' | undefined;
  /** The earliest time, in ISO 8601. @format date-time */
  readonly from?: string | undefined;
  /** The time before which it must be, in ISO 8601. @format date-time */
  readonly to?: string | undefined;
}

export interface DeliveryQuery extends DeliveryFilter {
  /**
   * `dead` and `waiting` list all such deliveries in the store; `delivered` and `spared` list recent attempts.
   *
   * @default any: recent attempts first, then waiting deliveries, then dead letters
   */
  readonly phase?: 'delivered' | 'spared' | 'waiting' | 'dead' | undefined;
  /** `true` also counts the matching dead letters. */
  readonly count?: 'true' | undefined;
  /**
   * The maximum number of deliveries of each kind on a page. With `id`, all that are dead or wait come at once. @default 50
   * @minimum 1 @maximum 500
   */
  readonly limit?: number | undefined;
  /** The `next` of the previous page. */
  readonly after?: string | undefined;
}

export interface DeliveryPage {
  /**
   * The latest attempt comes first. Dead letters are ordered by destination and acceptance, and waiting deliveries by
   * destination, webhook and when they are due. Without a `phase`, a delivery may appear again on a later page.
   */
  readonly deliveries: readonly DeliveryReport[];
  /** The `after` of the next page; absent on the last page. */
  readonly next?: string;
  /**
   * When the oldest kept attempt at the destination, or at any, was written; null if none is kept. It is given where the recent
   * attempts end.
   *
   * @format date-time
   */
  readonly oldestKept?: string | null;
  /** The number of dead letters that match the filter, if the query asks for it. */
  readonly count?: DeliveryCount;
}

/** The number of deliveries that match a filter. */
export interface DeliveryCount {
  readonly deliveries: number;
  /**
   * True if there may be more: about 10,000 dead letters are read if the store has no count for the filter. Absent if these are
   * all.
   */
  readonly hasMore?: true;
}

/** One event at one webhook. */
export interface DeliveryReport {
  readonly destination: string;
  /** The `messageId`. */
  readonly id: string;
  readonly type: EventType;
  /** The name of a track event. */
  readonly event?: string;
  readonly userId?: string;
  readonly anonymousId?: string;
  readonly source: string | null;
  /** @format date-time */
  readonly acceptedAt: string;
  readonly webhook: WebhookName;
  /**
   * `pending`: not tried yet. `spared`: it no longer waits, because another webhook accepted the event, it was discarded, or it was
   * delivered by an attempt that is not kept.
   */
  readonly phase: 'pending' | 'retrying' | 'delivered' | 'dead' | 'spared';
  /** Why it was given up. Only dead letters have a reason. */
  readonly reason?: DeathReason;
  /** The number of attempts. */
  readonly attempts: number;
  /** Null before the first attempt, like `result` and `durationMs`. @format date-time */
  readonly lastAttemptAt: string | null;
  /** The status, or Node's name of the error: `503`, `ECONNREFUSED`, `TIMEOUT`. */
  readonly result: string | null;
  readonly durationMs: number | null;
  /** Null if there will be no attempt, or if its time depends on what holds it up. @format date-time */
  readonly nextAttemptAt: string | null;
  /**
   * Why a waiting delivery that is due is not tried. `removal`: its destination is no longer configured. `pause`: its destination
   * is paused. `failures`: its webhook failed many times in a row and is left alone until then. `order`: another delivery of its
   * user comes first.
   */
  readonly heldUpBy?: 'removal' | 'pause' | 'failures' | 'order';
  /** The name of the token that paused its destination. */
  readonly pausedBy?: string;
}

/** The answer to a replay or discard: a job or, for a single event, which is done at once, only the count. */
export type DeliveryChange =
  | DeliveryJob
  | {
      readonly id?: undefined;
      readonly status: 'done';
      readonly destination: string;
      readonly deliveries: number;
    };

/** A replay or discard of many deliveries. */
export interface DeliveryJob {
  readonly id: string;
  readonly act: 'replay' | 'discard';
  /** Null for all configured destinations. */
  readonly destination: string | null;
  /** With `state: 'waiting'`, the job is for waiting deliveries. */
  readonly filter: Omit<DeliveryFilter, 'destination' | 'id'> & { readonly state?: 'dead' | 'waiting' | undefined };
  readonly status: 'running' | 'done' | 'stopped' | 'failed';
  /** How many deliveries the job has replayed or discarded so far, at least; a kill loses the last half second of it. */
  readonly deliveries: number;
  /**
   * How many deliveries a replay has skipped so far, by reason: their webhook is no longer configured and `sendTo` names no
   * other, or another delivery has sent the event there.
   */
  readonly skipped: { readonly 'webhook-removed': number; readonly 'sent-already': number };
  /** The number of deliveries that matched when the job began, if it is known. */
  readonly meant: number | null;
  /** The limit in deliveries per second, if there is one. */
  readonly rate: number | null;
  /** @format date-time */
  readonly startedAt: string;
  /** @format date-time */
  readonly endedAt: string | null;
  /** Why it failed or skipped some deliveries. */
  readonly error: string | null;
}

/** The answer of one webhook to a test event. */
export interface TestResult extends WebhookName {
  readonly attempt: AttemptReport;
}

export interface TestRequest {
  /** The webhook, by its `id` or URL. @default all */
  readonly endpoint?: string | undefined;
  /** The message to send. @default a track event called `eventferry test` */
  readonly message?: Readonly<Record<string, unknown>> | undefined;
}
