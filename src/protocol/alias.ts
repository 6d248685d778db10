import * as z from 'zod/mini';
import { type CommonFields, commonFields, holdsCommonFields, namesWith, type SentFields } from './common.js';
import { type Fields, text } from './fields.js';
import { isText } from './is.js';
import type { Draft, MessageType, Unread } from './message-type.js';

/** Two ids are one person: what `previousId` did, `userId` did. */
export interface Alias extends CommonFields {
  /** The id from now on. */
  userId: string;
  /** The id until now. */
  previousId: string;
}

const aliasSchema = z.looseObject({
  ...commonFields,
  userId: text,
  previousId: text,
} satisfies Fields<Alias>);

/** An `alias` as it is sent. */
export interface AliasMessage extends SentFields {
  type: 'alias';
  userId: string;
  previousId: string;
}

export const alias = {
  name: 'alias',
  fields: namesWith('previousId'),
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
    holdsCommonFields(message) && isText(message.userId) && isText(message.previousId),
  schema: aliasSchema,
} satisfies MessageType;
