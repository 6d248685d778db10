import * as z from 'zod/mini';
import {
  type CommonFields,
  commonFields,
  holdsCommonFields,
  identified,
  isIdentified,
  type WireFields,
} from './common.js';
import { type Fields, isRecord, record } from './fields.js';
import type { MessageType } from './message-type.js';

/** Who a user is. Needs `userId` or `anonymousId`. */
export interface Identify extends CommonFields {
  /** What is known about the user: `{ email: 'ada@example.com', plan: 'pro' }`. */
  traits?: Record<string, unknown> | undefined;
}

const identifySchema = z
  .looseObject({
    ...commonFields,
    traits: z.optional(record<Record<string, unknown>>()),
  } satisfies Fields<Identify>)
  .check(identified);

interface WireIdentify extends WireFields {
  type: 'identify';
  traits: Record<string, unknown> | undefined;
}

export const identify = {
  name: 'identify',
  read: (message: Identify): WireIdentify => ({
    type: 'identify',
    messageId: message.messageId,
    timestamp: message.timestamp,
    userId: message.userId,
    anonymousId: message.anonymousId,
    traits: message.traits,
    context: message.context,
    integrations: message.integrations,
  }),
  holds: (message: WireIdentify): boolean =>
    holdsCommonFields(message) && isIdentified(message) && (message.traits === undefined || isRecord(message.traits)),
  schema: identifySchema,
} satisfies MessageType;
