import * as z from 'zod/mini';
import { type CommonFields, commonFields, holdsCommonFields, type WireFields } from './common.js';
import { type Fields, isText, text } from './fields.js';
import type { MessageType } from './message-type.js';

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

interface WireAlias extends WireFields {
  type: 'alias';
  previousId: string;
}

export const alias = {
  name: 'alias',
  read: (message: Alias): WireAlias => ({
    type: 'alias',
    messageId: message.messageId,
    timestamp: message.timestamp,
    userId: message.userId,
    anonymousId: message.anonymousId,
    previousId: message.previousId,
    context: message.context,
    integrations: message.integrations,
  }),
  holds: (message: WireAlias): boolean =>
    holdsCommonFields(message) && isText(message.userId) && isText(message.previousId),
  schema: aliasSchema,
} satisfies MessageType;
