import * as z from 'zod/mini';
import type { AnyObject } from './any-object.js';
import {
  type CommonFields,
  commonFields,
  holdsCommonFields,
  identified,
  isIdentified,
  namesWith,
  type SentFields,
} from './common.js';
import { type Fields, record, text } from './fields.js';
import { isRecord, isText } from './is.js';
import type { Draft, MessageType, Unread } from './message-type.js';

/** Something a user did. Needs `userId` or `anonymousId`. */
export interface Track extends CommonFields {
  /** What the user did, in the past tense: `Order Completed`. */
  event: string;
  /** What else is known about it: `{ total: 42, currency: 'EUR' }`. */
  properties?: AnyObject | null | undefined;
}

const trackSchema = z
  .looseObject({
    ...commonFields,
    event: text,
    properties: z.nullish(record<AnyObject>()),
  } satisfies Fields<Track>)
  .check(identified);

/** A `track` as it is sent. */
export interface TrackMessage extends SentFields {
  type: 'track';
  event: string;
  properties?: Record<string, unknown> | undefined;
}

export const track = {
  name: 'track',
  fields: namesWith('event', 'properties'),
  read: (message: Unread<TrackMessage>): Draft<TrackMessage> => ({
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
  holds: (message: Draft<TrackMessage>): boolean =>
    holdsCommonFields(message) &&
    isIdentified(message) &&
    isText(message.event) &&
    (message.properties == null || isRecord(message.properties)),
  schema: trackSchema,
} satisfies MessageType;
