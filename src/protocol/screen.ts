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
import { type Fields, record, string } from './fields.js';
import { isRecord, isString } from './is.js';
import type { Draft, MessageType, Unread } from './message-type.js';

/** A user saw a screen of an app. Needs `userId` or `anonymousId`. */
export interface Screen extends CommonFields {
  category?: string | null | undefined;
  /** The screen's name: `Checkout`. */
  name?: string | null | undefined;
  properties?: AnyObject | null | undefined;
}

const screenSchema = z
  .looseObject({
    ...commonFields,
    category: z.nullish(string),
    name: z.nullish(string),
    properties: z.nullish(record<AnyObject>()),
  } satisfies Fields<Screen>)
  .check(identified);

/** A `screen` as it is sent. */
export interface ScreenMessage extends SentFields {
  type: 'screen';
  category?: string | undefined;
  name?: string | undefined;
  properties?: Record<string, unknown> | undefined;
}

export const screen = {
  name: 'screen',
  fields: namesWith('category', 'name', 'properties'),
  read: (message: Unread<ScreenMessage>): Draft<ScreenMessage> => ({
    type: 'screen',
    messageId: message.messageId,
    timestamp: message.timestamp,
    userId: message.userId,
    anonymousId: message.anonymousId,
    category: message.category ?? undefined,
    name: message.name ?? undefined,
    properties: message.properties ?? undefined,
    context: message.context ?? undefined,
    integrations: message.integrations ?? undefined,
  }),
  holds: (message: Draft<ScreenMessage>): boolean =>
    holdsCommonFields(message) &&
    isIdentified(message) &&
    (message.category == null || isString(message.category)) &&
    (message.name == null || isString(message.name)) &&
    (message.properties == null || isRecord(message.properties)),
  schema: screenSchema,
} satisfies MessageType;
