import type { AnyObject } from './any-object.js';
import { type CommonFields, holdsCommonFields, inspectRequiredId, isRequiredId, type SentFields } from './common.js';
import { ownFields } from './field-table.js';
import { messageType } from './message-type.js';
import { isRecord } from './plain.js';

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

export const group = messageType<Group, GroupMessage>({
  name: 'group',
  own: ownFields.group,
  read: (message) => ({
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
  holds: (message) =>
    holdsCommonFields(message) && isRequiredId(message.groupId) && (message.traits == null || isRecord(message.traits)),
  inspections: { groupId: inspectRequiredId },
});
