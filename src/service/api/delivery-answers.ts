import type { Attempt, DeathReason } from '../../delivery/state.js';

// What the API tells of single deliveries. Every time is ISO 8601 in UTC with milliseconds.

export type EventType = 'track' | 'identify' | 'page' | 'screen' | 'group' | 'alias' | 'delete';

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
  /** What the endpoint answered, where that is kept. */
  readonly answer?: AnswerReport;
}

/** An answer of an endpoint, with `***` in place of the webhook's secrets. */
export interface AnswerReport {
  /** Empty where they are not kept. */
  readonly headers: Readonly<Record<string, string>>;
  /** The first 2 KB of the body. */
  readonly text: string;
  /** Whether the body was longer. */
  readonly isCut: boolean;
}

/** Where one message stands at one destination, and why. */
export interface DeliveryExplanation extends Pick<DeliveryPage, 'wholeFrom' | 'failuresWholeFrom'> {
  readonly destination: string;
  readonly id: string;
  readonly type: EventType;
  /** The source that sent it; null where that is not known. */
  readonly source: string | null;
  /** @format date-time */
  readonly acceptedAt: string;
  readonly settle: 'any' | 'each';
  /** The body as it is sent; null when it is no longer kept. */
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

/** Which deliveries: those for which all of it holds. One filter, for lists, replays and discards. */
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
  /** How the last attempt ended: `503`, `5xx`, `timeout`, `ECONNREFUSED`. */
  readonly status?: string | undefined;
  /** Why it was given up. Means dead letters alone. */
  readonly reason?: DeathReason | undefined;
  /** What `from` and `to` are times of: the last attempt, or the acceptance of the event. @default 'attempt' */
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
   * @default what was attempted lately
   */
  readonly phase?: 'delivered' | 'spared' | 'waiting' | 'dead' | undefined;
  /** `true` asks too how many dead letters the filter means. */
  readonly count?: 'true' | undefined;
  /** How many deliveries a page has at most; with `id` all that are dead, or wait, come at once. @default 50 @minimum 1 @maximum 500 */
  readonly limit?: number | undefined;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
}

export interface DeliveryPage {
  /**
   * Those attempted last come first. Dead letters come by destination, those accepted first first; what waits by destination and webhook,
   * what is due earliest first.
   */
  readonly deliveries: readonly DeliveryReport[];
  /** Where the next page begins; absent at the end. */
  readonly next?: string;
  /**
   * Every attempt that began then or later is kept, of those that the filters can find; of earlier ones some are. Null where nothing is
   * kept; absent of dead letters and of what waits, which are all there.
   *
   * @format date-time
   */
  readonly wholeFrom?: string | null;
  /** The same of attempts that failed, and of those that followed one. @format date-time */
  readonly failuresWholeFrom?: string | null;
  /** How many dead letters the filter means, where that was asked. */
  readonly count?: DeliveryCount;
}

/** How many deliveries a filter means. */
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
  /** Why it was given up, of a dead letter. */
  readonly reason?: DeathReason;
  /** How many were made. */
  readonly attempts: number;
  /** Null before the first attempt, as are `result` and `durationMs`. @format date-time */
  readonly lastAttemptAt: string | null;
  /** The status, or Node's name of the error: `503`, `ECONNREFUSED`, `TIMEOUT`. */
  readonly result: string | null;
  readonly durationMs: number | null;
  /** Null where there will be none, and while it waits behind another of its user. @format date-time */
  readonly nextAttemptAt: string | null;
}

/** What a replay or discard gives: a job, or for one event, which is done at once, no more than the count. */
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
  /** How many are replayed or discarded so far. */
  readonly deliveries: number;
  /**
   * How many a replay left so far, and why: their webhook is configured no more and no `sendTo` names another, or the event was sent there
   * by another delivery.
   */
  readonly skipped: { readonly 'webhook-removed': number; readonly 'sent-already': number };
  /** How many were meant when it began, where that is known. */
  readonly meant: number | null;
  /** Deliveries a second, where there is a limit. */
  readonly rate: number | null;
  /** @format date-time */
  readonly startedAt: string;
  /** @format date-time */
  readonly endedAt: string | null;
  /** Why it failed, or left some. */
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
