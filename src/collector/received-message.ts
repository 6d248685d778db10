/** Made by .ci/messages.ts from the schemas in src/protocol/schemas.ts; do not edit. */

import type { Received } from './received-fields.js';

/** Tells who a user is. */
export interface ReceivedIdentify extends Received<'identify'> {}

/** Something a user did. */
export interface ReceivedTrack extends Received<'track'> {}

/** A user saw a page of a website. */
export interface ReceivedPage extends Received<'page'> {}

/** A user saw a screen of an app. */
export interface ReceivedScreen extends Received<'screen'> {}

/** A user belongs to a company, a team, an account. */
export interface ReceivedGroup extends Received<'group'> {}

/** Two ids are one person: what `previousId` did, `userId` did. */
export interface ReceivedAlias extends Received<'alias'> {}

/**
 * A message as the collector hands it on: checked, with its times, and in the canonical form. Ids are text, times are in UTC with
 * milliseconds, an empty list in place of an object is an empty object; all else is as it was sent.
 */
export type ReceivedMessage =
  | ReceivedIdentify
  | ReceivedTrack
  | ReceivedPage
  | ReceivedScreen
  | ReceivedGroup
  | ReceivedAlias;
