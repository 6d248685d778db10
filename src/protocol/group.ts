import type { AnyObject } from './any-object.js';
import {
  type CommonFields,
  holdsCommonFields,
  isIdentified,
  mistakeInCall,
  mistakeInIds,
  namesWith,
  type SentFields,
} from './common.js';
import { ownFields } from './field-table.js';
import { isRecord, isText } from './is.js';
import type { Draft, MessageType, Unread } from './message-type.js';

/** A user belongs to a company, a team, an account. Needs `userId` or `anonymousId`. */
export interface Group extends CommonFields {
  /** The group's id in your own database. */
  groupId: string;
  /** Describes the group: `{ name: 'Initech', seats: 40 }`. */
  traits?: AnyObject | null | undefined;
}

/** A `group` as it is sent. */
export interface GroupMessage extends SentFields {
  type: 'group';
  groupId: string;
  traits?: Record<string, unknown> | undefined;
}

export const group = {
  name: 'group',
  fields: namesWith(ownFields.group),
  read: (message: Unread<GroupMessage>): Draft<GroupMessage> => ({
    type: 'group',
    messageId: message.messageId,
    timestamp: message.timestamp,
    userId: message.userId,
    anonymousId: message.anonymousId,
    groupId: message.groupId,
    traits: message.traits ?? undefined,
    context: message.context ?? undefined,
    integrations: message.integrations ?? undefined,
  }),
  holds: (message: Draft<GroupMessage>): boolean =>
    holdsCommonFields(message) &&
    isIdentified(message) &&
    isText(message.groupId) &&
    (message.traits == null || isRecord(message.traits)),
  mistakeIn: (message: Draft<GroupMessage>) => mistakeInCall<Group>(message, ownFields.group) ?? mistakeInIds(message),
} satisfies MessageType;
