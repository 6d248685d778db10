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

/** Something a user did. Needs `userId` or `anonymousId`. */
export interface Track extends CommonFields {
  /** What the user did, in the past tense: `Order Completed`. */
  event: string;
  /** What else is known about it: `{ total: 42, currency: 'EUR' }`. */
  properties?: Record<string, unknown> | undefined;
}

const trackSchema = z
  .looseObject({
    ...commonFields,
    event: text,
    properties: z.optional(record<Record<string, unknown>>()),
  } satisfies Fields<Track>)
  .check(identified);

interface WireTrack extends WireFields {
  type: 'track';
  event: string;
  properties: Record<string, unknown> | undefined;
}

export const track = {
  name: 'track',
  read: (message: Track): WireTrack => ({
    type: 'track',
    messageId: message.messageId,
    timestamp: message.timestamp,
    userId: message.userId,
    anonymousId: message.anonymousId,
    event: message.event,
    properties: message.properties,
    context: message.context,
    integrations: message.integrations,
  }),
  holds: (message: WireTrack): boolean =>
    holdsCommonFields(message) &&
    isIdentified(message) &&
    isText(message.event) &&
    (message.properties === undefined || isRecord(message.properties)),
  schema: trackSchema,
} satisfies MessageType;
