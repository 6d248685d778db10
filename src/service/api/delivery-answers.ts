import type { Attempt } from '../../delivery/state.js';

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
export interface DeliveryExplanation {
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

/** Which recent deliveries: those for which all of it holds. */
export interface DeliveryQuery {
  readonly destination?: string | undefined;
  /** The `messageId`. */
  readonly id?: string | undefined;
  /** A user id or an anonymous id. */
  readonly user?: string | undefined;
  /** The name of a track event, or a type. */
  readonly event?: string | undefined;
  /** The `id` of a webhook, or a part of its URL. */
  readonly endpoint?: string | undefined;
  /** How the last attempt ended: `503`, `5xx`, `timeout`, `ECONNREFUSED`. */
  readonly status?: string | undefined;
  readonly phase?: RecentDelivery['phase'] | undefined;
  /** The last attempt was made then or later: ISO 8601. @format date-time */
  readonly from?: string | undefined;
  /** The last attempt was made before then: ISO 8601. @format date-time */
  readonly to?: string | undefined;
  /** How many deliveries a page has at most. @default 50 @minimum 1 @maximum 500 */
  readonly limit?: number | undefined;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
}

export interface DeliveryPage {
  /** Those attempted last come first. */
  readonly deliveries: readonly RecentDelivery[];
  /** Where the next page begins; absent at the end. */
  readonly next?: string;
  /** When the oldest attempt that is kept was made; null when none is. @format date-time */
  readonly since: string | null;
}

/** One event at one webhook, as its last attempt left it. */
export interface RecentDelivery {
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
  /** `spared`: no attempt was made again, since another webhook took the event. */
  readonly phase: 'retrying' | 'delivered' | 'dead' | 'spared';
  /** How many were made, this one included. */
  readonly attempts: number;
  /** @format date-time */
  readonly lastAttemptAt: string;
  /** The status, or Node's name of the error: `503`, `ECONNREFUSED`, `TIMEOUT`. */
  readonly result: string;
  readonly durationMs: number;
  /** @format date-time */
  readonly nextAttemptAt: string | null;
}

/** Which deliveries that wait: those for which all of it holds. */
export interface WaitingFilter {
  /** The webhook: its `id` or its URL. */
  readonly endpoint?: string | undefined;
  readonly type?: EventType | undefined;
  /** Only those of this user: the `userId` or, without one, the `anonymousId`. */
  readonly user?: string | undefined;
  /** Accepted then or later: ISO 8601. @format date-time */
  readonly from?: string | undefined;
  /** Accepted before then: ISO 8601. @format date-time */
  readonly to?: string | undefined;
}

export interface WaitingQuery extends WaitingFilter {
  /** How many deliveries a page has at most. @default 50 @minimum 1 @maximum 500 */
  readonly limit?: number | undefined;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
}

/** A delivery that has no end yet. */
export interface WaitingDelivery
  extends Pick<RecentDelivery, 'id' | 'type' | 'event' | 'userId' | 'anonymousId' | 'acceptedAt' | 'webhook'> {
  /** `pending`: no attempt was made yet. */
  readonly phase: 'pending' | 'retrying';
  /** Null while it waits behind another of its user. @format date-time */
  readonly nextAttemptAt: string | null;
  /** The latest, oldest first. */
  readonly attempts: readonly AttemptReport[];
}

export interface WaitingPage {
  readonly deliveries: readonly WaitingDelivery[];
  /** Where the next page begins; absent at the end. */
  readonly next?: string;
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
