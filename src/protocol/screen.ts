import type { AnyObject } from './any-object.js';
import { type CommonFields, holdsCommonFields, isString, type SentFields } from './common.js';
import { ownFields } from './field-table.js';
import { messageType } from './message-type.js';
import { isRecord } from './plain.js';

/** A user saw a screen of an app. Needs `userId` or `anonymousId`. */
export interface Screen extends CommonFields {
  category?: string | null | undefined;
  /** The screen's name: `Checkout`. */
  name?: string | null | undefined;
  properties?: AnyObject | null | undefined;
}

/** A `screen` as it is sent. */
export interface ScreenMessage extends SentFields {
  type: 'screen';
  category?: string | undefined;
  name?: string | undefined;
  properties?: Record<string, unknown> | undefined;
}

export const screen = messageType<Screen, ScreenMessage>({
  name: 'screen',
  own: ownFields.screen,
  read: (message) => ({
    type: 'screen',
    messageId: message.messageId,
    timestamp: message.timestamp,
    userId: message.userId,
    anonymousId: message.anonymousId,
    category: message.category ?? undefined,
    name: message.name ?? undefined,
    properties: message.properties ?? undefined,
    context: message.context ?? undefined,
    integrations: message.integrations ?? undefined,
  }),
  holds: (message) =>
    holdsCommonFields(message) &&
    (message.category == null || isString(message.category)) &&
    (message.name == null || isString(message.name)) &&
    (message.properties == null || isRecord(message.properties)),
});
