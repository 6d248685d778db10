import * as z from 'zod/mini';
import {
  type CommonFields,
  commonFields,
  holdsCommonFields,
  identified,
  isIdentified,
  type WireFields,
} from './common.js';
import { type Fields, isRecord, isText, record, text } from './fields.js';
import type { MessageType } from './message-type.js';

/** A user belongs to a company, a team, an account. Needs `userId` or `anonymousId`. */
export interface Group extends CommonFields {
  /** The group's id in your own database. */
  groupId: string;
  /** What is known about the group: `{ name: 'Initech', seats: 40 }`. */
  traits?: Record<string, unknown> | undefined;
}

const groupSchema = z
  .looseObject({
    ...commonFields,
    groupId: text,
    traits: z.optional(record<Record<string, unknown>>()),
  } satisfies Fields<Group>)
  .check(identified);

interface WireGroup extends WireFields {
  type: 'group';
  groupId: string;
  traits: Record<string, unknown> | undefined;
}

export const group = {
  name: 'group',
  read: (message: Group): WireGroup => ({
    type: 'group',
    messageId: message.messageId,
    timestamp: message.timestamp,
    userId: message.userId,
    anonymousId: message.anonymousId,
    groupId: message.groupId,
    traits: message.traits,
    context: message.context,
    integrations: message.integrations,
  }),
  holds: (message: WireGroup): boolean =>
    holdsCommonFields(message) &&
    isIdentified(message) &&
    isText(message.groupId) &&
    (message.traits === undefined || isRecord(message.traits)),
  schema: groupSchema,
} satisfies MessageType;
