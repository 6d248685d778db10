import type { AnyObject } from './any-object.js';
import { type CommonFields, holdsCommonFields, type SentFields } from './common.js';
import { ownFields } from './field-table.js';
import { messageType } from './message-type.js';
import { isRecord } from './plain.js';

/** Tells who a user is. Needs `userId` or `anonymousId`. */
export interface Identify extends CommonFields {
  /** Describes the user: `{ email: 'ada@example.com', plan: 'pro' }`. */
  traits?: AnyObject | null | undefined;
}

/** An `identify` as it is sent. */
export interface IdentifyMessage extends SentFields {
  type: 'identify';
  traits?: Record<string, unknown> | undefined;
}

export const identify = messageType<Identify, IdentifyMessage>({
  name: 'identify',
  own: ownFields.identify,
  read: (message) => ({
    type: 'identify',
    messageId: message.messageId,
    timestamp: message.timestamp,
    userId: message.userId,
    anonymousId: message.anonymousId,
    traits: message.traits ?? undefined,
    context: message.context ?? undefined,
    integrations: message.integrations ?? undefined,
  }),
  holds: (message) => holdsCommonFields(message) && (message.traits == null || isRecord(message.traits)),
});
