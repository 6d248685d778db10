import {
  type CommonFields,
  holdsCommonFields,
  inspectRequiredUser,
  isRequiredUserId,
  mistakeInCall,
  namesWith,
  type SentFields,
} from './common.js';
import { ownFields } from './field-table.js';
import { isText } from './is.js';
import type { Draft, MessageType, Unread } from './message-type.js';

/** Two ids are one person: what `previousId` did, `userId` did. */
export interface Alias extends CommonFields {
  /** The id from now on. */
  userId: string;
  /** The id until now. */
  previousId: string;
}

/** An `alias` as it is sent. */
export interface AliasMessage extends SentFields {
  type: 'alias';
  userId: string;
  previousId: string;
}

export const alias = {
  name: 'alias',
  fields: namesWith(ownFields.alias),
  read: (message: Unread<AliasMessage>): Draft<AliasMessage> => ({
    type: 'alias',
    messageId: message.messageId,
    timestamp: message.timestamp,
    userId: message.userId,
    anonymousId: message.anonymousId,
    previousId: message.previousId,
    context: message.context ?? undefined,
    integrations: message.integrations ?? undefined,
  }),
  holds: (message: Draft<AliasMessage>): boolean =>
    holdsCommonFields(message) && isText(message.userId) && isRequiredUserId(message.previousId),
  mistakeIn: (message: Draft<AliasMessage>) =>
    mistakeInCall<Alias>(message, ownFields.alias, { previousId: inspectRequiredUser }),
} satisfies MessageType;
