/** Made by .ci/messages.ts from the schemas in src/protocol/schemas.ts; do not edit. */

import type { DeleteEvent, Delivered } from './message-shapes.js';

/** Tells who a user is. */
export interface IdentifyEvent extends Delivered<'identify'> {}

/** Something a user did. */
export interface TrackEvent extends Delivered<'track'> {}

/** A user saw a page of a website. */
export interface PageEvent extends Delivered<'page'> {}

/** A user saw a screen of an app. */
export interface ScreenEvent extends Delivered<'screen'> {}

/** A user belongs to a company, a team, an account. */
export interface GroupEvent extends Delivered<'group'> {}

/** Two ids are one person: what `previousId` did, `userId` did. */
export interface AliasEvent extends Delivered<'alias'> {}

/**
 * The event that one delivery carries, told apart by `type`. Fields that are not named here are kept as they came. The receiver
 * checks that `context`, `properties`, `traits` and `integrations` are objects; what is in them is the sender's.
 */
export type WebhookEvent = IdentifyEvent | TrackEvent | PageEvent | ScreenEvent | GroupEvent | AliasEvent | DeleteEvent;

/** `identify`, `track`, `page`, `screen`, `group`, `alias` or `delete`. */
export type WebhookEventType = WebhookEvent['type'];
