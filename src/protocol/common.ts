import { MAX_MESSAGE_ID_LENGTH, MAX_USER_ID_BYTES } from '../base/options/limits.js';
import { type Context, type ContextInput, inspectContext } from './context.js';
import { type Integrations, type IntegrationsInput, inspectIntegrations } from './integrations.js';
import { type Inspect, type Inspections, type Mistake, optional } from './mistake.js';
import { expectedTimestamp, type Timestamp, toIso } from './timestamp.js';
import { isUserId } from './user-id.js';

/** The fields that every call takes. A field that is `null`, or an id that is empty, counts as left out. */
export interface CommonFields {
  /** The user's id in your own database. */
  userId?: string | null | undefined;
  /** An id for someone who has not signed in yet. */
  anonymousId?: string | null | undefined;
  /** The time at which it happened. @default the time of the call */
  timestamp?: Timestamp | null | undefined;
  /** Up to 100 characters, unique: collectors drop a second message with the same id. @default a UUID of version 7 */
  messageId?: string | null | undefined;
  context?: ContextInput | null | undefined;
  integrations?: IntegrationsInput | null | undefined;
}

/** The fields that every message has as it is sent. */
export interface SentFields {
  messageId: string;
  /** UTC, with milliseconds. */
  timestamp: string;
  userId?: string | undefined;
  anonymousId?: string | undefined;
  context?: Context | undefined;
  integrations?: Integrations | undefined;
}

/** A message that was read from a call and is not complete yet. The caller's own objects keep their `null` values. */
export interface DraftFields {
  messageId: string | null | undefined;
  timestamp: Timestamp | null | undefined;
  userId: string | null | undefined;
  anonymousId: string | null | undefined;
  context: Context | undefined;
  integrations: Integrations | undefined;
}

export const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

export const isString = (value: unknown): boolean => typeof value === 'string';

/** Describes an id where one is wrong, or a message names no user. */
export const EXPECTED_ID = 'a non-empty string';

const EXPECTED_USER_ID = `well-formed text of at most ${MAX_USER_ID_BYTES} bytes`;

const inspectUser: Inspect = (value) =>
  value == null || isUserId(value)
    ? undefined
    : { path: [], expected: isString(value) ? EXPECTED_USER_ID : EXPECTED_ID };

/** Tells whether a value is a valid required id, such as the `previousId` of an alias. */
export const isRequiredUserId = (value: unknown): boolean => isText(value) && isUserId(value);

export const inspectRequiredUser: Inspect = (value) =>
  isText(value) ? inspectUser(value) : { path: [], expected: EXPECTED_ID };

const isMessageId = (value: unknown): boolean => isString(value) && (value as string).length <= MAX_MESSAGE_ID_LENGTH;

export const commonInspections: Inspections<CommonFields> = {
  userId: inspectUser,
  anonymousId: inspectUser,
  timestamp: (value) =>
    value == null || toIso(value) !== undefined ? undefined : { path: [], expected: expectedTimestamp(value) },
  messageId: optional(isMessageId, `a string of 1 to ${MAX_MESSAGE_ID_LENGTH} characters`),
  context: inspectContext,
  integrations: inspectIntegrations,
};

type Ids = Pick<CommonFields, 'userId' | 'anonymousId'>;

export const UNIDENTIFIED = `${EXPECTED_ID}, or an anonymousId`;

/** Tells whether a message names a user, given that ids are strings or absent. */
const isIdentified = (message: Ids): boolean => !!message.userId || !!message.anonymousId;

/** Finds that a message names no user. */
export const mistakeInIds = (message: Ids): Mistake | undefined =>
  isIdentified(message) ? undefined : { path: ['userId'], expected: UNIDENTIFIED };

/**
 * Tells fast whether `commonInspections` and `mistakeInIds` would find nothing. It leaves the timestamp to `toIso`, which has to
 * read it anyway.
 */
export const holdsCommonFields = (message: DraftFields): boolean =>
  (message.userId == null || isUserId(message.userId)) &&
  (message.anonymousId == null || isUserId(message.anonymousId)) &&
  (message.messageId == null || isMessageId(message.messageId)) &&
  (message.context == null || inspectContext(message.context) === undefined) &&
  (message.integrations == null || inspectIntegrations(message.integrations) === undefined) &&
  isIdentified(message);
