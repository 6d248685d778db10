/** Made by .ci/messages.ts from the schemas in src/protocol/schemas.ts; do not edit. */

import type { SentMessage } from './message-shapes.js';

/** An `identify` as it is sent. */
export interface IdentifyMessage extends SentMessage<'identify'> {}

/** A `track` as it is sent. */
export interface TrackMessage extends SentMessage<'track'> {}

/** A `page` as it is sent. */
export interface PageMessage extends SentMessage<'page'> {}

/** A `screen` as it is sent. */
export interface ScreenMessage extends SentMessage<'screen'> {}

/** A `group` as it is sent. */
export interface GroupMessage extends SentMessage<'group'> {}

/** An `alias` as it is sent. */
export interface AliasMessage extends SentMessage<'alias'> {}

/** A message as it is sent: complete, with its id, and its time in UTC with milliseconds. */
export type Message = IdentifyMessage | TrackMessage | PageMessage | ScreenMessage | GroupMessage | AliasMessage;
