import { MAX_MESSAGE_ID_LENGTH, MAX_USER_ID_BYTES } from '../base/options/limits.js';
import { type Context, type ContextInput, inspectContext, isContext } from './context.js';
import { commonFields, type Field, type FieldsOf } from './field-table.js';
import { type Integrations, type IntegrationsInput, inspectIntegrations, isIntegrations } from './integrations.js';
import { isRecord, isString, isText } from './is.js';
import { type Inspect, type Inspections, type Mistake, mistakeIn, optional, required } from './mistake.js';
import { expectedTimestamp, type Timestamp, toIso } from './timestamp.js';
import { isUserId } from './user-id.js';

/** The fields that every call takes. `null` says the same as a field that is left out, and of an id an empty string does too. */
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

/** A message on its way from what a call takes to what is sent. What is `null` in the objects of the caller stays so. */
export interface DraftFields {
  messageId: string | null | undefined;
  timestamp: Timestamp | null | undefined;
  userId: string | null | undefined;
  anonymousId: string | null | undefined;
  context: Context | undefined;
  integrations: Integrations | undefined;
}

/** The names of the fields of a type, those that every type has included. */
export const namesWith = (own: object): ReadonlySet<string> =>
  new Set(['type', ...Object.keys(commonFields), ...Object.keys(own)]);

/** Describes an id where one is wrong, or a message names no user. */
const EXPECTED_ID = 'a non-empty string';

const EXPECTED_USER_ID = `well-formed text of at most ${MAX_USER_ID_BYTES} bytes`;

const inspectUser: Inspect = (value) =>
  value == null || isUserId(value)
    ? undefined
    : { path: [], expected: isString(value) ? EXPECTED_USER_ID : EXPECTED_ID };

/** Tells whether a value is an id that a message cannot be without, as the `previousId` of an alias. */
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

/**
 * Finds the first mistake in what a call takes, by the table of fields: it says what is wrong where the guard only says that
 * something is.
 */
export function mistakeInCall<T extends CommonFields>(
  message: object,
  own: FieldsOf<T, keyof CommonFields>,
  narrower: Readonly<Record<string, Inspect>> = {},
): Mistake | undefined {
  const ownInspections = Object.entries<Field>(own).map(([name, field]) => [name, inspectionOf(field)]);
  return (
    mistakeIn(message, commonInspections) ?? mistakeIn(message, { ...Object.fromEntries(ownInspections), ...narrower })
  );
}

function inspectionOf({ kind, isRequired }: Field): Inspect {
  if (isRequired) return required(isText, EXPECTED_ID);
  return kind === 'object' ? optional(isRecord, 'a plain object') : optional(isString, 'a string');
}

/**
 * The same fields as `commonInspections`, as fast as they can be told apart. The timestamp is left to `toIso`, which has to
 * read it anyway.
 */
export const holdsCommonFields = (message: DraftFields): boolean =>
  (message.userId == null || isUserId(message.userId)) &&
  (message.anonymousId == null || isUserId(message.anonymousId)) &&
  (message.messageId == null || isMessageId(message.messageId)) &&
  (message.context == null || isContext(message.context)) &&
  (message.integrations == null || isIntegrations(message.integrations));

type Ids = Pick<CommonFields, 'userId' | 'anonymousId'>;

/** Tells whether a message names a user, given that ids are strings or absent. */
export const isIdentified = (message: Ids): boolean => !!message.userId || !!message.anonymousId;

export const UNIDENTIFIED = `${EXPECTED_ID}, or an anonymousId`;

/** A message that names no user. */
export const mistakeInIds = (message: Ids): Mistake | undefined =>
  isIdentified(message) ? undefined : { path: ['userId'], expected: UNIDENTIFIED };
