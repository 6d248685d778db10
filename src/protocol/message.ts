/** Made by .ci/messages.ts from the schemas in src/protocol/schemas.ts; do not edit. */

import type { Sent } from './message-shapes.js';

/** An `identify` as it is sent. */
export interface IdentifyMessage extends Sent<'identify'> {}

/** A `track` as it is sent. */
export interface TrackMessage extends Sent<'track'> {}

/** A `page` as it is sent. */
export interface PageMessage extends Sent<'page'> {}

/** A `screen` as it is sent. */
export interface ScreenMessage extends Sent<'screen'> {}

/** A `group` as it is sent. */
export interface GroupMessage extends Sent<'group'> {}

/** An `alias` as it is sent. */
export interface AliasMessage extends Sent<'alias'> {}

/** A message as it is sent: complete, with its id, and its time in UTC with milliseconds. */
export type Message = IdentifyMessage | TrackMessage | PageMessage | ScreenMessage | GroupMessage | AliasMessage;
