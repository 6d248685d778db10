import type { DestinationState } from './answer-types.js';
import type { DeliveryFilter } from './delivery-answers.js';

// The queries and bodies that the routes of the API take.

export interface FeedQuery {
  /** The name of a source. @default all */
  readonly source?: string | undefined;
  /** The id of the last event that the caller has, as in `Last-Event-ID`. @default only what happens from now on */
  readonly after?: string | undefined;
}

export interface AudienceQuery {
  /** `allow` permits an audience whose trait is a standard trait of a user, such as `email`. */
  readonly standardTrait?: 'allow' | undefined;
}

export interface SignIn {
  /** The admin token. */
  readonly token: string;
}

export interface PauseRequest {
  readonly paused: boolean;
}

export interface EnableRequest {
  readonly enabled: boolean;
}

export interface CountsQuery {
  /** The number of hours before now. @default 24 @minimum 1 @maximum 720 */
  readonly hours?: number | undefined;
}

/** A page of a list. */
export interface ListQuery {
  /** @default all @minimum 1 @maximum 1000 */
  readonly limit?: number | undefined;
  /** The name or id of the last item on the previous page. */
  readonly after?: string | undefined;
}

export interface SourceQuery extends ListQuery {
  /** A part of the name of the source or of one of its destinations. @default any */
  readonly q?: string | undefined;
  /**
   * The order: by name, or by the number of messages with that outcome in the last hour, highest first. @default as configured
   */
  readonly sort?: 'name' | 'received' | 'forwarded' | 'blocked' | 'rejected' | undefined;
}

export interface DestinationQuery extends ListQuery {
  /** A part of the name of the destination or one of its sources, or of the URL of a webhook. @default any */
  readonly q?: string | undefined;
  /** @default any */
  readonly state?: DestinationState | undefined;
  /**
   * The order. First comes the worst state, the lowest success, the longest time to answer, the most waiting deliveries, or the
   * most dead letters.
   */
  readonly sort?: 'state' | 'name' | 'success' | 'p50' | 'p95' | 'waiting' | 'dead' | undefined;
  /** `true` reverses the order. */
  readonly reversed?: 'true' | undefined;
}

export interface NewestPageQuery extends ListQuery {
  /** @default 100 @minimum 1 @maximum 1000 */
  readonly limit?: number | undefined;
}

/** Needs `all: true` or a field that selects some. `id`, `sendTo` and a state other than `dead` also need a `destination`. */
export interface ChangeRequest extends DeliveryFilter {
  /** The name of a destination, or `all`. Required if there are more than 10 destinations. @default 'all' */
  readonly destination?: string | undefined;
  readonly all?: true | undefined;
  /** The limit in deliveries per second. @default no limit @exclusiveMinimum 0 */
  readonly rate?: number | undefined;
}

export interface DiscardRequest extends ChangeRequest {
  /** Whether dead letters or waiting deliveries are discarded. @default 'dead' */
  readonly state?: 'dead' | 'waiting' | undefined;
}

export interface ReplayRequest extends ChangeRequest {
  /**
   * The webhook, by `id` or URL, that gets the dead letters of webhooks that are no longer configured. If the destination is no
   * longer configured, the destination that gets what it still holds.
   */
  readonly sendTo?: string | undefined;
  /**
   * Dead letters; for a removed destination also `waiting` deliveries; with `id`, also an event that was `delivered` and is still
   * kept. @default 'dead'
   */
  readonly state?: 'dead' | 'waiting' | 'delivered' | undefined;
}

export interface DeletionRequest {
  /** @minItems 1 @maxItems 5000 */
  readonly userIds: readonly string[];
  /**
   * The sources that everything is limited to, or `all`. `(audiences)` stands for audiences and computed traits. Required if
   * there are more than 10 destinations. @default 'all' @minItems 1
   */
  readonly sources?: readonly string[] | 'all' | undefined;
  /** True counts what would be erased, and erases nothing. @default false */
  readonly dryRun?: boolean | undefined;
}

/** The users who join and those who leave. Users who already are, or are not, members stay so. */
export interface MembershipChange {
  readonly join?: readonly string[] | undefined;
  readonly leave?: readonly string[] | undefined;
}

/** A user and the value of a computed trait. */
export interface TraitValue {
  readonly userId: string;
  /** Any JSON value of at most 2,000 bytes; `null` means that the user has no value. */
  readonly value: unknown;
}

/** The users who get a value and those who lose it. A user who already has the given value keeps it without a message. */
export interface TraitChange {
  readonly set?: readonly TraitValue[] | undefined;
  readonly remove?: readonly string[] | undefined;
}
