import {
  type CommonFields,
  holdsCommonFields,
  inspectRequiredId,
  isRequiredId,
  isText,
  type SentFields,
} from './common.js';
import { ownFields } from './field-table.js';
import { messageType } from './message-type.js';

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

export const alias = messageType<Alias, AliasMessage>({
  name: 'alias',
  own: ownFields.alias,
  read: (message) => ({
    type: 'alias',
    messageId: message.messageId,
    timestamp: message.timestamp,
    userId: message.userId,
    anonymousId: message.anonymousId,
    previousId: message.previousId,
    context: message.context ?? undefined,
    integrations: message.integrations ?? undefined,
  }),
  holds: (message) => holdsCommonFields(message) && isText(message.userId) && isRequiredId(message.previousId),
  inspections: { previousId: inspectRequiredId },
});
