import type { Rule } from '../base/options/check-options.js';
import { MAX_MESSAGE_ID_LENGTH, MAX_USER_ID_BYTES } from '../base/options/limits.js';
import { describe } from '../base/text/describe.js';
import type { Context, ContextInput } from './context.js';
import type { Integrations, IntegrationsInput } from './integrations.js';
import type { Inspect } from './mistake.js';
import { expectedTimestamp, type Timestamp, toIso } from './timestamp.js';
import { flawInId, isGivenId, noIdText } from './user-id.js';

/** The fields that every call accepts. A field that is `null` and an id that is empty count as absent. */
export interface CommonFields {
  /** The user's id in your own database. */
  userId?: string | null | undefined;
  /** An id for someone who has not signed in yet. */
  anonymousId?: string | null | undefined;
  /** When it happened. @default the time of the call */
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

/** A message whose fields were read from a call and that is not complete yet. Objects of the caller keep their `null` values. */
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

/** The expected value for a wrong id or for a message that identifies no user. */
export const EXPECTED_ID = 'a non-empty string';

const EXPECTED_USER_ID = `well-formed text of at most ${MAX_USER_ID_BYTES} bytes`;

export const inspectId: Inspect = (value) => {
  if (value == null || isGivenId(value)) return undefined;
  if (typeof value !== 'string') return { path: [], expected: EXPECTED_ID };
  const received = flawInId(value);
  return received === undefined ? { path: [], expected: EXPECTED_USER_ID } : { path: [], expected: 'an id', received };
};

/** Tells whether a value is a valid required id, such as the `previousId` of an alias. */
export const isRequiredId = (value: unknown): boolean => isText(value) && isGivenId(value);

export const inspectRequiredId: Inspect = (value) =>
  isText(value) ? inspectId(value) : { path: [], expected: EXPECTED_ID };

/** Tells whether a value is valid for an id that belongs to messages of other types. */
export const isOtherId = (value: unknown): boolean => typeof value !== 'string' || flawInId(value) === undefined;

export const inspectOtherId: Inspect = (value) => (isOtherId(value) ? undefined : inspectId(value));

/** The rule for an optional id. Null and undefined count as absent. */
export const idRule: Rule = {
  expected: EXPECTED_ID,
  holds: (value) => value == null || isGivenId(value),
  describe: (value) => ({ received: inspectId(value)?.received ?? describe(value) }),
};

const isShort = (value: unknown): boolean => typeof value === 'string' && value.length <= MAX_MESSAGE_ID_LENGTH;

/** Refuses `null` as a message id, although a user may have that id. */
export const isMessageId = (value: unknown): boolean => isShort(value) && value !== 'null' && isGivenId(value);

export const inspectMessageId: Inspect = (value) => {
  if (value == null || isMessageId(value)) return undefined;
  if (value === 'null') return { path: [], expected: 'an id', received: noIdText(value) };
  return isShort(value)
    ? inspectId(value)
    : { path: [], expected: `a string of 1 to ${MAX_MESSAGE_ID_LENGTH} characters` };
};

export const isTimestamp = (value: unknown): boolean => toIso(value) !== undefined;

export const inspectTimestamp: Inspect = (value) =>
  value == null || isTimestamp(value) ? undefined : { path: [], expected: expectedTimestamp(value) };

type Ids = Pick<CommonFields, 'userId' | 'anonymousId'>;

/** Tells whether a message identifies a user. Its ids must be strings or absent. */
export const isIdentified = ({ userId, anonymousId }: Ids): boolean => !!userId || !!anonymousId;

/** Returns a mistake if a message identifies no user. */
export const mistakeInIds: Inspect = (message) =>
  isIdentified(message as Ids)
    ? undefined
    : { path: ['userId'], expected: `${EXPECTED_ID}, or an anonymousId`, received: describeIds(message as Ids) };

const describeIds = ({ userId, anonymousId }: Ids): string =>
  userId === undefined && anonymousId === undefined
    ? 'neither'
    : `userId ${describe(userId)} and anonymousId ${describe(anonymousId)}`;
