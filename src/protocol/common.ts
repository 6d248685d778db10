import * as z from 'zod/mini';
import { MAX_MESSAGE_ID_LENGTH } from '../limits.js';
import { once } from '../once.js';
import { type Context, type ContextInput, contextSchema, isContext } from './context.js';
import { commonFields, type Field, type FieldsOf } from './field-table.js';
import { type Integrations, type IntegrationsInput, integrationsSchema, isIntegrations } from './integrations.js';
import { isRecord, isString, isText } from './is.js';
import { expectedTimestamp, type Timestamp, toIso } from './timestamp.js';

/** The zod fields of an interface: a field that is forgotten, or of another type, does not compile. */
export type Fields<T> = { [K in keyof T]-?: z.ZodMiniType<T[K]> };

/**
 * A field held by a predicate. The objects a caller owns are checked and never copied, and the same predicate serves the
 * guard on the path of a call and the schema that explains what was wrong.
 */
const field = <T>(
  holds: (value: unknown) => boolean,
  expected: string | ((value: unknown) => string),
): z.ZodMiniType<T, T> =>
  z.custom<T>(holds, { error: typeof expected === 'string' ? expected : ({ input }) => expected(input), abort: true });

const text = () => field<string>(isText, 'a non-empty string');

const string = () => field<string>(isString, 'a string');

export const record = <T extends object>(): z.ZodMiniType<T, T> => field<T>(isRecord, 'a plain object');

/** What every call takes. `null` says the same as a field that is left out, and of an id an empty string does too. */
export interface CommonFields {
  /** The user's id in your own database. */
  userId?: string | null | undefined;
  /** An id for someone who has not signed in yet. */
  anonymousId?: string | null | undefined;
  /** When it happened. @default the time of the call */
  timestamp?: Timestamp | null | undefined;
  /** Up to 100 characters, unique: collectors drop a second message with the same id. @default a random UUID */
  messageId?: string | null | undefined;
  context?: ContextInput | null | undefined;
  integrations?: IntegrationsInput | null | undefined;
}

/** What every message has as it is sent. */
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

/** Said of an id that is wrong, and when a message names no user. */
const EXPECTED_ID = 'a non-empty string';

const isMessageId = (value: unknown): boolean => isString(value) && (value as string).length <= MAX_MESSAGE_ID_LENGTH;

export const commonSchemas = once(() => ({
  userId: z.nullish(field<string>(isString, EXPECTED_ID)),
  anonymousId: z.nullish(field<string>(isString, EXPECTED_ID)),
  timestamp: z.nullish(field<Timestamp>((value) => toIso(value) !== undefined, expectedTimestamp)),
  messageId: z.nullish(field<string>(isMessageId, `a string of 1 to ${MAX_MESSAGE_ID_LENGTH} characters`)),
  context: z.nullish(contextSchema()),
  integrations: z.nullish(integrationsSchema()),
})) satisfies () => Fields<CommonFields>;

/** The schema of what a call takes, from the table of fields: it says what is wrong where the guard only says that something is. */
export const callSchema = <T extends CommonFields>(
  own: FieldsOf<T, keyof CommonFields>,
  narrower: Readonly<Record<string, z.ZodMiniType>> = {},
) =>
  z.object({
    ...commonSchemas(),
    ...Object.fromEntries(Object.entries<Field>(own).map(([name, each]) => [name, schemaOf(each)])),
    ...narrower,
  });

function schemaOf({ kind, isRequired }: Field): z.ZodMiniType {
  if (isRequired) return text();
  return z.nullish(kind === 'object' ? record() : string());
}

/**
 * The same fields as `commonSchemas`, as fast as they can be told apart. The timestamp is left to `toIso`, which has to
 * read it anyway.
 */
export const holdsCommonFields = (message: DraftFields): boolean =>
  (message.userId == null || isString(message.userId)) &&
  (message.anonymousId == null || isString(message.anonymousId)) &&
  (message.messageId == null || isMessageId(message.messageId)) &&
  (message.context == null || isContext(message.context)) &&
  (message.integrations == null || isIntegrations(message.integrations));

type Ids = Pick<CommonFields, 'userId' | 'anonymousId'>;

/** Whether a message names a user, given that ids are strings or absent. */
export const isIdentified = (message: Ids): boolean => !!message.userId || !!message.anonymousId;

export const UNIDENTIFIED = `${EXPECTED_ID}, or an anonymousId`;

export const identified = () => z.refine<Ids>(isIdentified, { path: ['userId'], error: UNIDENTIFIED });
