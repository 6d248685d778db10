import { eventFields, type NamedField } from './event-fields.js';
import { isRecord } from './plain.js';
import { parseTime, toIso, writeTime } from './timestamp.js';

/** A message that is known to be an object and is not checked any further. */
export type AnyMessage = Record<string, unknown>;

/** The problem of a field that has no canonical form. */
export interface FieldProblem {
  readonly field: string;
  readonly expected: string;
  /** True if a required field is missing, false if a field is wrong. */
  readonly isMissing: boolean;
}

/** Collectors check that these fields are objects in messages of every type. */
const OBJECTS = ['properties', 'traits', 'context', 'integrations'].map(
  (name): NamedField => ({ name, kind: 'object', isRequired: false }),
);

// Excludes the id and the times, which are handled by the code that accepts a message.
const isOurs = ({ name, kind }: NamedField): boolean => kind === 'text' && name !== 'messageId';

const fieldsByType: ReadonlyMap<string, readonly NamedField[]> = new Map(
  [...eventFields].map(([type, fields]) => [type, [...fields.filter(isOurs), ...(type === 'delete' ? [] : OBJECTS)]]),
);

const requiredByType: ReadonlyMap<string, readonly NamedField[]> = new Map(
  [...fieldsByType].map(([type, fields]) => [type, fields.filter(({ isRequired }) => isRequired)]),
);

/**
 * Tells whether every field of any type is either absent or already in the canonical form, as it is in most messages. It checks
 * what the table says, but is three times as fast. It may return false for a message that is canonical.
 */
export const isCanonical = (message: AnyMessage): boolean =>
  isStringOrNothing(message['userId']) &&
  isStringOrNothing(message['anonymousId']) &&
  isStringOrNothing(message['event']) &&
  isStringOrNothing(message['name']) &&
  isStringOrNothing(message['category']) &&
  isStringOrNothing(message['groupId']) &&
  isStringOrNothing(message['previousId']) &&
  isRecordOrNothing(message['properties']) &&
  isRecordOrNothing(message['traits']) &&
  isRecordOrNothing(message['context']) &&
  isRecordOrNothing(message['integrations']);

const isStringOrNothing = (value: unknown): boolean =>
  typeof value === 'string' || value === undefined || value === null;
const isRecordOrNothing = (value: unknown): boolean => value === undefined || value === null || isRecord(value);

/** The fields that identify a user or a group. */
const IDS: ReadonlySet<string> = new Set(['userId', 'anonymousId', 'groupId', 'previousId']);

const EXPECTED_ID = `a string, or an integer of at most ${Number.MAX_SAFE_INTEGER}, as larger ones lose digits`;

/** A larger number has lost digits when JSON was parsed, so two users could become one. */
const isInexactId = (name: string, value: unknown): boolean =>
  Number.isFinite(value) && IDS.has(name) && !Number.isSafeInteger(value);

/**
 * Returns the first field that has no canonical form, in a message of a known type. It accepts what existing clients really send:
 * text may be a number, an optional field may be `null`, and an empty list counts as an empty object, because PHP writes it that
 * way.
 *
 * @param isAlready the result of `isCanonical` for the message
 */
export function fieldProblem(message: AnyMessage, isAlready = isCanonical(message)): FieldProblem | undefined {
  for (const { name, kind, isRequired } of fieldsOf(message, isAlready ? requiredByType : fieldsByType)) {
    const value = message[name];
    if (isInexactId(name, value)) return { field: name, expected: EXPECTED_ID, isMissing: false };
    if (isRequired ? isText(value) && value !== '' : value === undefined || value === null || holds(kind, value))
      continue;
    return { field: name, expected: expectedOf(kind, isRequired), isMissing: isRequired };
  }
  return undefined;
}

/** Converts the fields of a message to the canonical form, in place. Call it only if `fieldProblem` finds none. */
export function canonicalizeFields(message: AnyMessage): void {
  if (isCanonical(message)) return;
  for (const { name, kind } of fieldsOf(message, fieldsByType)) {
    const value = message[name];
    if (typeof value === 'number') message[name] = String(value);
    else if (kind === 'object' && Array.isArray(value)) message[name] = {};
  }
}

/** Returns the canonical form of an optional time, or `null` for a value that is not a time. */
export function canonicalTime(value: unknown): string | null | undefined {
  if (value === undefined || value === null) return value;
  const ms = parseTime(value);
  return Number.isNaN(ms) ? (toIso(value) ?? null) : writeTime(value, ms);
}

/** Tells whether an id identifies a user. */
export const isNamed = (id: unknown): boolean => isText(id) && id !== '';

const fieldsOf = (message: AnyMessage, byType: typeof fieldsByType): readonly NamedField[] =>
  byType.get(message['type'] as string) ?? [];

// Excludes Infinity, because JSON.parse reads 1e400 as Infinity. JSON has no other numbers that are not finite.
const isText = (value: unknown): boolean => typeof value === 'string' || Number.isFinite(value);

const isObject = (value: unknown): boolean => (Array.isArray(value) ? value.length === 0 : isRecord(value));

const holds = (kind: NamedField['kind'], value: unknown): boolean =>
  kind === 'object' ? isObject(value) : isText(value);

function expectedOf(kind: NamedField['kind'], isRequired: boolean): string {
  if (kind === 'object') return 'an object';
  return isRequired ? 'a non-empty string' : 'a string';
}
