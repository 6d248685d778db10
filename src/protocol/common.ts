import type { Rule } from '../base/options/check-options.js';
import { MAX_MESSAGE_ID_LENGTH, MAX_USER_ID_BYTES } from '../base/options/limits.js';
import { describe } from '../base/text/describe.js';
import type { Context, ContextInput } from './context.js';
import type { Integrations, IntegrationsInput } from './integrations.js';
import { hasTooMany, isRecord, MAX_FIELDS } from './plain.js';
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

/** A mistake in a value. */
export interface Mistake {
  /** The path to the mistake inside the value. */
  readonly path: readonly PropertyKey[];
  /** Describes the expected value: `a non-empty string`. */
  readonly expected: string;
  /** Describes the actual value, if its kind alone does not explain the mistake. */
  readonly received?: string;
}

/** Returns the first mistake in a value; undefined if there is none. */
export type Inspect = (value: unknown) => Mistake | undefined;

/** One inspection for each field of an interface. A missing one does not compile. */
export type Inspections<T> = { readonly [K in keyof T]-?: Inspect };

/**
 * Returns a mistake if a value is not an object or has more fields than fit into a message.
 *
 * @param counted the word for its fields if their number is limited
 */
export function mistakeInRecord(value: unknown, counted?: string): Mistake | undefined {
  if (!isRecord(value)) return { path: [], expected: 'a plain object' };
  return counted !== undefined && hasTooMany(value)
    ? { path: [], expected: `at most ${MAX_FIELDS} ${counted}`, received: 'more' }
    : undefined;
}

/** Adds a field's name to the path of a mistake in its value. */
export const at = (name: string, mistake: Mistake | undefined): Mistake | undefined =>
  mistake && { ...mistake, path: [name, ...mistake.path] };

/** Returns the mistake in the first field in which the inspection finds one. */
export function mistakeInEach(fields: object, inspect: Inspect): Mistake | undefined {
  for (const name of Object.keys(fields)) {
    const mistake = inspect((fields as Readonly<Record<string, unknown>>)[name]);
    if (mistake !== undefined) return at(name, mistake);
  }
  return undefined;
}

/** Returns the first mistake in the fields, in the order of the inspections. */
export function mistakeIn(fields: object, inspections: Readonly<Record<string, Inspect>>): Mistake | undefined {
  for (const [name, inspect] of Object.entries(inspections)) {
    const mistake = inspect((fields as Readonly<Record<string, unknown>>)[name]);
    if (mistake !== undefined) return at(name, mistake);
  }
  return undefined;
}

export const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** The expected value for a wrong id or for a message that identifies no user. */
export const EXPECTED_ID = 'a non-empty string';

const EXPECTED_USER_ID = `well-formed text of at most ${MAX_USER_ID_BYTES} bytes`;

export const inspectText: Inspect = (value) => (isText(value) ? undefined : { path: [], expected: EXPECTED_ID });

export const inspectString: Inspect = (value) =>
  value == null || typeof value === 'string' ? undefined : { path: [], expected: 'a string' };

export const inspectRecord: Inspect = (value) => (value == null ? undefined : mistakeInRecord(value));

/** Finds the mistake in the choice of one destination. */
export const inspectSwitch: Inspect = (value) =>
  typeof value === 'boolean' || value == null || isRecord(value)
    ? undefined
    : { path: [], expected: 'true, false or a plain object' };

export const inspectId: Inspect = (value) => {
  if (value == null || isGivenId(value)) return undefined;
  if (typeof value !== 'string') return { path: [], expected: EXPECTED_ID };
  const received = flawInId(value);
  return received === undefined ? { path: [], expected: EXPECTED_USER_ID } : { path: [], expected: 'an id', received };
};

export const inspectRequiredId: Inspect = (value) => inspectText(value) ?? inspectId(value);

/** Finds the mistake in an id that belongs to messages of other types. */
export const inspectOtherId: Inspect = (value) =>
  typeof value === 'string' && flawInId(value) !== undefined ? inspectId(value) : undefined;

/** The rule for an optional id. Null and undefined count as absent. */
export const idRule: Rule = {
  expected: EXPECTED_ID,
  holds: (value) => value == null || isGivenId(value),
  describe: (value) => ({ received: inspectId(value)?.received ?? describe(value) }),
};

/** Refuses `null` as a message id, although a user may have that id. */
export const inspectMessageId: Inspect = (value) => {
  if (value === 'null') return { path: [], expected: 'an id', received: noIdText(value) };
  if (value == null || (typeof value === 'string' && value.length <= MAX_MESSAGE_ID_LENGTH)) return inspectId(value);
  return { path: [], expected: `a string of 1 to ${MAX_MESSAGE_ID_LENGTH} characters` };
};

export const inspectTimestamp: Inspect = (value) =>
  value == null || toIso(value) !== undefined ? undefined : { path: [], expected: expectedTimestamp(value) };

type Ids = Pick<CommonFields, 'userId' | 'anonymousId'>;

/** Returns a mistake if a message identifies no user. Its ids must be strings or absent. */
export const mistakeInIds: Inspect = (message) => {
  const ids = message as Ids;
  if (ids.userId || ids.anonymousId) return undefined;
  return { path: ['userId'], expected: `${EXPECTED_ID}, or an anonymousId`, received: describeIds(ids) };
};

const describeIds = ({ userId, anonymousId }: Ids): string =>
  userId === undefined && anonymousId === undefined
    ? 'neither'
    : `userId ${describe(userId)} and anonymousId ${describe(anonymousId)}`;
