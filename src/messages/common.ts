import * as z from 'zod/mini';
import { MAX_MESSAGE_ID_LENGTH } from '../limits.js';
import { type Context, contextSchema, isContext } from './context.js';
import { type Fields, field, isText, text } from './fields.js';
import { type Integrations, integrationsSchema, isIntegrations } from './integrations.js';
import { expectedTimestamp, type Timestamp, toIso } from './timestamp.js';

/** What every call takes. */
export interface CommonFields {
  /** The user's id in your own database. */
  userId?: string | undefined;
  /** An id for someone who has not signed in yet. */
  anonymousId?: string | undefined;
  /** When it happened. @default the time of the call */
  timestamp?: Timestamp | undefined;
  /** 1 to 100 characters, unique: collectors drop a second message with the same id. @default a random UUID */
  messageId?: string | undefined;
  context?: Context | undefined;
  integrations?: Integrations | undefined;
}

/** What every message has on the wire, before the fields of its type. */
export interface WireFields {
  messageId: string | undefined;
  timestamp: Timestamp | undefined;
  userId: string | undefined;
  anonymousId: string | undefined;
  context: Context | undefined;
  integrations: Integrations | undefined;
}

const isMessageId = (value: unknown): boolean =>
  typeof value === 'string' && value !== '' && value.length <= MAX_MESSAGE_ID_LENGTH;

export const commonFields = {
  userId: z.optional(text),
  anonymousId: z.optional(text),
  timestamp: z.optional(field<Timestamp>((value) => toIso(value) !== undefined, expectedTimestamp)),
  messageId: z.optional(field<string>(isMessageId, `a string of 1 to ${MAX_MESSAGE_ID_LENGTH} characters`)),
  context: z.optional(contextSchema),
  integrations: z.optional(integrationsSchema),
} satisfies Fields<CommonFields>;

/**
 * The same fields as `commonFields`, as fast as they can be told apart. The timestamp is left to `toIso`, which has to
 * read it anyway.
 */
export const holdsCommonFields = (message: WireFields): boolean =>
  (message.userId === undefined || isText(message.userId)) &&
  (message.anonymousId === undefined || isText(message.anonymousId)) &&
  (message.messageId === undefined || isMessageId(message.messageId)) &&
  (message.context === undefined || isContext(message.context)) &&
  (message.integrations === undefined || isIntegrations(message.integrations));

export const isIdentified = (message: Pick<CommonFields, 'userId' | 'anonymousId'>): boolean =>
  message.userId !== undefined || message.anonymousId !== undefined;

export const identified = z.refine<Pick<CommonFields, 'userId' | 'anonymousId'>>(isIdentified, {
  path: ['userId'],
  error: 'a non-empty string, or an anonymousId',
});
