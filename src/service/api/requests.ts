import type { DestinationState } from './answer-types.js';
import type { DeliveryFilter } from './delivery-answers.js';

// The queries and bodies that the routes of the API take.

export interface FeedQuery {
  /** The name of a source. @default all */
  readonly source?: string | undefined;
  /** The id of the last event that the caller has, as `Last-Event-ID` gives it. @default only what happens from now on */
  readonly after?: string | undefined;
}

export interface AudienceQuery {
  /** `allow` makes an audience whose trait is a standard one of a user, such as `email`. */
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
  /** @default 24 @minimum 1 @maximum 720 */
  readonly hours?: number | undefined;
}

/** A page of a list. */
export interface ListQuery {
  /** @default all @minimum 1 @maximum 1000 */
  readonly limit?: number | undefined;
  /** The name of the last one of the page before, or its id. */
  readonly after?: string | undefined;
}

export interface SourceQuery extends ListQuery {
  /** A part of the name of the source, or of one of its destinations. @default any */
  readonly q?: string | undefined;
  /** The order: by name, or the most messages of the last hour with that outcome first. @default as configured */
  readonly sort?: 'name' | 'received' | 'forwarded' | 'blocked' | 'rejected' | undefined;
}

export interface DestinationQuery extends ListQuery {
  /** A part of the name of the destination, of one of its sources, or of the URL of one of its webhooks. @default any */
  readonly q?: string | undefined;
  /** @default any */
  readonly state?: DestinationState | undefined;
  /** The order: the worst state, the lowest success, the longest time to answer, the most that waits, or the most dead letters comes first. */
  readonly sort?: 'state' | 'name' | 'success' | 'p50' | 'p95' | 'waiting' | 'dead' | undefined;
  /** `true` turns the order round. */
  readonly reversed?: 'true' | undefined;
}

export interface NewestQuery {
  /** @default 100 @minimum 1 @maximum 1000 */
  readonly limit?: number | undefined;
  /** The id of the last one of the page before. */
  readonly after?: string | undefined;
}

/** `all: true`, or at least one of the fields that mean some; `id`, `sendTo` and another state than `dead` need a `destination`. */
export interface ChangeRequest extends DeliveryFilter {
  /** The name of one, or `all`. It has to be given when there are more than 10 destinations. @default 'all' */
  readonly destination?: string | undefined;
  readonly all?: true | undefined;
  /** Deliveries a second. @default no limit @exclusiveMinimum 0 */
  readonly rate?: number | undefined;
}

export interface DiscardRequest extends ChangeRequest {
  /** Dead letters, or what still waits. @default 'dead' */
  readonly state?: 'dead' | 'waiting' | undefined;
}

export interface ReplayRequest extends ChangeRequest {
  /**
   * The webhook, by `id` or URL, that gets the letters of webhooks that are configured no more; of a destination that is configured no
   * more, the destination that gets what it left.
   */
  readonly sendTo?: string | undefined;
  /**
   * Dead letters; of a destination that is configured no more also what `waiting` there; with `id`, an event that was `delivered` and is
   * still kept. @default 'dead'
   */
  readonly state?: 'dead' | 'waiting' | 'delivered' | undefined;
}

export interface DeletionRequest {
  /** @minItems 1 @maxItems 5000 */
  readonly userIds: readonly string[];
  /**
   * The sources that everything is limited to, `(audiences)` among them for audiences and computed traits; or `all`. It has to be given
   * when there are more than 10 destinations. @default 'all' @minItems 1
   */
  readonly sources?: readonly string[] | 'all' | undefined;
  /** Whether to count what would be erased, and erase nothing. @default false */
  readonly dryRun?: boolean | undefined;
}

/** The users who join and those who leave. A user who is a member already, or none already, stays so. */
export interface MembershipChange {
  readonly join?: readonly string[] | undefined;
  readonly leave?: readonly string[] | undefined;
}

/** A user, and what a computed trait is for that user. */
export interface TraitValue {
  readonly userId: string;
  /** Any JSON value of at most 2,000 bytes; `null` says that the user has none. */
  readonly value: unknown;
}

/** Whose values become others, and who has none any more. A user whose value is the given one already keeps it without a message. */
export interface TraitChange {
  readonly set?: readonly TraitValue[] | undefined;
  readonly remove?: readonly string[] | undefined;
}
