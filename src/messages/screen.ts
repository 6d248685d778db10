import * as z from 'zod/mini';
import {
  type CommonFields,
  commonFields,
  holdsCommonFields,
  identified,
  isIdentified,
  type WireFields,
} from './common.js';
import { type Fields, isRecord, isString, record, string } from './fields.js';
import type { MessageType } from './message-type.js';

/** A user saw a screen of an app. Needs `userId` or `anonymousId`. */
export interface Screen extends CommonFields {
  category?: string | undefined;
  /** The screen's name: `Checkout`. */
  name?: string | undefined;
  properties?: Record<string, unknown> | undefined;
}

const screenSchema = z
  .looseObject({
    ...commonFields,
    category: z.optional(string),
    name: z.optional(string),
    properties: z.optional(record<Record<string, unknown>>()),
  } satisfies Fields<Screen>)
  .check(identified);

interface WireScreen extends WireFields {
  type: 'screen';
  category: string | undefined;
  name: string | undefined;
  properties: Record<string, unknown> | undefined;
}

export const screen = {
  name: 'screen',
  read: (message: Screen): WireScreen => ({
    type: 'screen',
    messageId: message.messageId,
    timestamp: message.timestamp,
    userId: message.userId,
    anonymousId: message.anonymousId,
    category: message.category,
    name: message.name,
    properties: message.properties,
    context: message.context,
    integrations: message.integrations,
  }),
  holds: (message: WireScreen): boolean =>
    holdsCommonFields(message) &&
    isIdentified(message) &&
    (message.category === undefined || isString(message.category)) &&
    (message.name === undefined || isString(message.name)) &&
    (message.properties === undefined || isRecord(message.properties)),
  schema: screenSchema,
} satisfies MessageType;
