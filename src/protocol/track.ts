import type { AnyObject } from './any-object.js';
import { type CommonFields, holdsCommonFields, isText, type SentFields } from './common.js';
import { ownFields } from './field-table.js';
import { messageType } from './message-type.js';
import { isRecord } from './plain.js';

/** Something a user did. Needs `userId` or `anonymousId`. */
export interface Track extends CommonFields {
  /** Names what the user did, in the past tense: `Order Completed`. */
  event: string;
  /** Describes it further: `{ total: 42, currency: 'EUR' }`. */
  properties?: AnyObject | null | undefined;
}

/** A `track` as it is sent. */
export interface TrackMessage extends SentFields {
  type: 'track';
  event: string;
  properties?: Record<string, unknown> | undefined;
}

export const track = messageType<Track, TrackMessage>({
  name: 'track',
  own: ownFields.track,
  read: (message) => ({
    type: 'track',
    messageId: message.messageId,
    timestamp: message.timestamp,
    userId: message.userId,
    anonymousId: message.anonymousId,
    event: message.event,
    properties: message.properties ?? undefined,
    context: message.context ?? undefined,
    integrations: message.integrations ?? undefined,
  }),
  holds: (message) =>
    holdsCommonFields(message) && isText(message.event) && (message.properties == null || isRecord(message.properties)),
});
