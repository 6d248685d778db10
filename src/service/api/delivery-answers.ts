import type { Attempt, DeathReason } from '../../delivery/state.js';
import type { EventType } from '../../protocol/field-table.js';

// The answers of the API about single deliveries. Every time is ISO 8601 in UTC with milliseconds.

export interface WebhookName {
  /** The `id` of the webhook's settings, where it has one. */
  readonly id?: string;
  /** With `***` in place of what may be secret in it. */
  readonly url: string;
}

/** One attempt to deliver. */
export interface AttemptReport extends Omit<Attempt, 'at' | 'answer'> {
  /** @format date-time */
  readonly at: string;
  /** The request, where it is kept. The body is the `message` of the delivery. */
  readonly sent?: { readonly headers: Readonly<Record<string, string>> };
  /** The answer of the endpoint, where it is kept. */
  readonly answer?: AnswerReport;
}

/** An answer of an endpoint, with `***` in place of the webhook's secrets. */
export interface AnswerReport {
  /** Empty where they are not kept. */
  readonly headers: Readonly<Record<string, string>>;
  /** The first 2 KB of the body. */
  readonly text: string;
  /** True when the body was longer. */
  readonly isCut: boolean;
}

/** The state of one message at one destination, and the reason for it. */
export interface DeliveryExplanation extends Pick<DeliveryPage, 'wholeFrom' | 'failuresWholeFrom'> {
  readonly destination: string;
  readonly id: string;
  readonly type: EventType;
  /** The source that sent it; null where that is not known. */
  readonly source: string | null;
  /** @format date-time */
  readonly acceptedAt: string;
  readonly settle: 'any' | 'each';
  /** The body that is sent; null when it is no longer kept. */
  readonly message: unknown;
  readonly endpoints: readonly EndpointExplanation[];
}

export interface EndpointExplanation extends WebhookName {
  readonly phase: 'pending' | 'in flight' | 'retrying' | 'delivered' | 'dead';
  readonly why: string;
  /** The rule that the last answer fell under, in words. */
  readonly rule: string | null;
  readonly failing: boolean;
  /** @format date-time */
  readonly nextAttemptAt: string | null;
  /** @format date-time */
  readonly triedUntil: string | null;
  readonly attempts: readonly AttemptReport[];
}

/** A filter of deliveries, for lists, replays and discards. A delivery matches when all given fields hold for it. */
export interface DeliveryFilter {
  readonly destination?: string | undefined;
  /** The `messageId`. */
  readonly id?: string | undefined;
  /** The `userId` or, without one, the `anonymousId`. */
  readonly user?: string | undefined;
  /** The name of a track event, or a type. */
  readonly event?: string | undefined;
  /** The webhook: its `id`, its URL, or a part of the URL. */
  readonly endpoint?: string | undefined;
  /** The result of the last attempt: `503`, `5xx`, `timeout`, `ECONNREFUSED`. */
  readonly status?: string | undefined;
  /** The reason why it was given up. With a reason, the filter matches dead letters alone. */
  readonly reason?: DeathReason | undefined;
  /** The time that `from` and `to` compare: of the last attempt, or of the acceptance of the event. @default 'attempt' */
  readonly by?: 'attempt' | 'acceptance' | undefined;
  /** Then or later: ISO 8601. @format date-time */
  readonly from?: string | undefined;
  /** Before then: ISO 8601. @format date-time */
  readonly to?: string | undefined;
}

export interface DeliveryQuery extends DeliveryFilter {
  /**
   * `dead` and `waiting`: all that are dead letters or wait, as the store has them. `delivered` and `spared`: those attempted lately.
   *
   * @default any: first what was attempted lately, then what else waits, then the other dead letters
   */
  readonly phase?: 'delivered' | 'spared' | 'waiting' | 'dead' | undefined;
  /** `true` asks too how many dead letters the filter means. */
  readonly count?: 'true' | undefined;
  /** The most deliveries on a page, of each kind where several are asked for; with `id` all that are dead, or wait, come at once. @default 50 @minimum 1 @maximum 500 */
  readonly limit?: number | undefined;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
}

export interface DeliveryPage {
  /**
   * Those attempted last come first. Dead letters come by destination, those accepted first first; what waits by destination and webhook,
   * what is due earliest first. Without a `phase`, one that was on an earlier page may come again.
   */
  readonly deliveries: readonly DeliveryReport[];
  /** The `after` of the next page; absent on the last. */
  readonly next?: string;
  /**
   * Every attempt that began then or later is kept, of those that the filters can find; of earlier ones some are. Null where nothing is
   * kept; absent of dead letters and of what waits, which are all there.
   *
   * @format date-time
   */
  readonly wholeFrom?: string | null;
  /** Every attempt is kept that failed, or followed a failed one, and began then or later. @format date-time */
  readonly failuresWholeFrom?: string | null;
  /** The number of dead letters that match the filter, where the query asks for it. */
  readonly count?: DeliveryCount;
}

/** The number of deliveries that match a filter. */
export interface DeliveryCount {
  readonly deliveries: number;
  /** There may be more: with a filter that kept counts do not know, about 10,000 dead letters are read. Absent when these are all. */
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
  /** `pending`: no attempt was made yet. `spared`: none was made again, since another webhook took the event. */
  readonly phase: 'pending' | 'retrying' | 'delivered' | 'dead' | 'spared';
  /** The reason why it was given up. Only dead letters have one. */
  readonly reason?: DeathReason;
  /** The number of attempts. */
  readonly attempts: number;
  /** Null before the first attempt, as are `result` and `durationMs`. @format date-time */
  readonly lastAttemptAt: string | null;
  /** The status, or Node's name of the error: `503`, `ECONNREFUSED`, `TIMEOUT`. */
  readonly result: string | null;
  readonly durationMs: number | null;
  /** Null when there will be no attempt, or none until what holds it up ends. @format date-time */
  readonly nextAttemptAt: string | null;
  /**
   * Why a delivery that waits is not tried although it is due. `removal`: the configuration no longer has its destination. `pause`: somebody
   * paused it. `failures`: its webhook is left alone until then, as it failed many times in a row. `order`: another delivery of its user goes first.
   */
  readonly heldUpBy?: 'removal' | 'pause' | 'failures' | 'order';
  /** The name of the token that paused its destination. */
  readonly pausedBy?: string;
}

/** The answer to a replay or discard: a job, or for a single event, which is done at once, only the count. */
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
  /** Null of all destinations of the configuration. */
  readonly destination: string | null;
  /** With `state: 'waiting'` of what waits. */
  readonly filter: Omit<DeliveryFilter, 'destination' | 'id'> & { readonly state?: 'dead' | 'waiting' | undefined };
  readonly status: 'running' | 'done' | 'stopped' | 'failed';
  /** The number of deliveries that the job has replayed or discarded so far, at least: a kill loses the last half second of it. */
  readonly deliveries: number;
  /**
   * The deliveries that a replay has left so far, by reason: their webhook is configured no more and no `sendTo` names another, or another
   * delivery has sent the event there.
   */
  readonly skipped: { readonly 'webhook-removed': number; readonly 'sent-already': number };
  /** The number of deliveries that matched when the job began, where that is known. */
  readonly meant: number | null;
  /** Deliveries a second, where there is a limit. */
  readonly rate: number | null;
  /** @format date-time */
  readonly startedAt: string;
  /** @format date-time */
  readonly endedAt: string | null;
  /** The reason why it failed or left some deliveries. */
  readonly error: string | null;
}

/** The answer of one webhook to a test event. */
export interface TestResult extends WebhookName {
  readonly attempt: AttemptReport;
}

export interface TestRequest {
  /** The webhook, by `id` or URL. @default all */
  readonly endpoint?: string | undefined;
  /** The message to send. @default a track event called `eventferry test` */
  readonly message?: Readonly<Record<string, unknown>> | undefined;
}
