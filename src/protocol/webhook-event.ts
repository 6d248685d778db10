import type { Context } from './context.js';
import type { Integrations } from './integrations.js';
import type { PageProperties } from './page.js';

/**
 * The event that one delivery carries, told apart by `type`. Fields that are not named here are kept as they came. The receiver
 * checks that `context`, `properties`, `traits` and `integrations` are objects; what is in them is the sender's.
 */
export type WebhookEvent = TrackEvent | IdentifyEvent | PageEvent | ScreenEvent | GroupEvent | AliasEvent | DeleteEvent;

/** `track`, `identify`, `page`, `screen`, `group`, `alias` or `delete`. */
export type WebhookEventType = WebhookEvent['type'];

/** A field that may be absent. Several clients write `null` for "not known", so it may be that as well. */
type Maybe<T> = T | null | undefined;

/** The fields that every event but `delete` has. */
export interface CommonEventFields {
  /** The version of the format. */
  version: 1;
  /** The same on every attempt, and on every delivery of this message: what to tell duplicates by. */
  messageId: string;
  /** The time at which it happened, in UTC: `2026-11-20T12:00:00.000Z`. */
  timestamp: string;
  /** The user's id in the sender's own database. */
  userId?: Maybe<string>;
  /** An id for someone who had not signed in. */
  anonymousId?: Maybe<string>;
  /** Describes the surroundings of the event: device, page, campaign, locale. */
  context?: Maybe<Context>;
  integrations?: Maybe<Integrations>;
  /** The time at which it happened by the clock of the machine that called; `timestamp` is corrected for that clock's error. */
  originalTimestamp?: Maybe<string>;
  /** The time at which that machine sent it, by its own clock. */
  sentAt?: Maybe<string>;
  /** The time at which the collector took it. */
  receivedAt?: Maybe<string>;
}

/** Something a user did. */
export interface TrackEvent extends CommonEventFields {
  type: 'track';
  /** Names what the user did: `Order Completed`. */
  event: string;
  properties?: Maybe<Record<string, unknown>>;
}

/** Tells who a user is. */
export interface IdentifyEvent extends CommonEventFields {
  type: 'identify';
  traits?: Maybe<Record<string, unknown>>;
}

/** A user saw a page of a website. */
export interface PageEvent extends CommonEventFields {
  type: 'page';
  category?: Maybe<string>;
  name?: Maybe<string>;
  properties?: Maybe<PageProperties>;
}

/** A user saw a screen of an app. */
export interface ScreenEvent extends CommonEventFields {
  type: 'screen';
  category?: Maybe<string>;
  name?: Maybe<string>;
  properties?: Maybe<Record<string, unknown>>;
}

/** A user belongs to a company, a team, an account. */
export interface GroupEvent extends CommonEventFields {
  type: 'group';
  groupId: string;
  traits?: Maybe<Record<string, unknown>>;
}

/** Two ids are one person: what `previousId` did, `userId` did. */
export interface AliasEvent extends CommonEventFields {
  type: 'alias';
  userId: string;
  previousId: string;
}

/** A user asked to be forgotten: delete what you keep about them. It has no `messageId` and no `version`. */
export interface DeleteEvent {
  type: 'delete';
  userId: string;
  /** The time at which the deletion was asked for, in UTC. */
  timestamp: string;
}
