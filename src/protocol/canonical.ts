import { eventFields, type NamedField } from './event-fields.js';
import { isRecord } from './plain.js';
import { parseTime, toIso, writeTime } from './timestamp.js';

/** A message that is known to be an object, and no more. */
export type AnyMessage = Record<string, unknown>;

/** The problem of a field that has no canonical form. */
export interface FieldProblem {
  readonly field: string;
  readonly expected: string;
  /** Tells a required field that is not there from a wrong one. */
  readonly isMissing: boolean;
}

/** Collectors check these in messages of every type. */
const OBJECTS = ['properties', 'traits', 'context', 'integrations'].map(
  (name): NamedField => ({ name, kind: 'object', isRequired: false }),
);

// The code that takes a message handles its id and its times.
const isOurs = ({ name, kind }: NamedField): boolean => kind === 'text' && name !== 'messageId';

const fieldsByType: ReadonlyMap<string, readonly NamedField[]> = new Map(
  [...eventFields].map(([type, fields]) => [type, [...fields.filter(isOurs), ...(type === 'delete' ? [] : OBJECTS)]]),
);

const requiredByType: ReadonlyMap<string, readonly NamedField[]> = new Map(
  [...fieldsByType].map(([type, fields]) => [type, fields.filter(({ isRequired }) => isRequired)]),
);

/**
 * Tells whether every field that any type has is absent or in the canonical form already, as those of most messages are. It
 * follows the table, field by field, and is three times as fast; it may be wrong in saying no.
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

/** The fields that say who or which group is meant. */
const IDS: ReadonlySet<string> = new Set(['userId', 'anonymousId', 'groupId', 'previousId']);

const EXPECTED_ID = `a string, or an integer of at most ${Number.MAX_SAFE_INTEGER}, as larger ones lose digits`;

/** A number beyond that has lost digits as JSON was read, so that two users would become one. */
const isInexactId = (name: string, value: unknown): boolean =>
  Number.isFinite(value) && IDS.has(name) && !Number.isSafeInteger(value);

/**
 * Returns the first field, of a message of a known type, that has no canonical form. What clients really send is accepted: text may
 * be a number, an optional field may be `null`, and an empty list stands for an empty object, because PHP writes one so.
 *
 * @param isAlready what `isCanonical` says of it
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

/** Brings the fields of a message into the canonical form, in place: it must have none that `fieldProblem` names. */
export function canonicalizeFields(message: AnyMessage): void {
  if (isCanonical(message)) return;
  for (const { name, kind } of fieldsOf(message, fieldsByType)) {
    const value = message[name];
    if (typeof value === 'number') message[name] = String(value);
    else if (kind === 'object' && Array.isArray(value)) message[name] = {};
  }
}

/** Returns the canonical form of an optional time, or `null` for a value that is no time. */
export function canonicalTime(value: unknown): string | null | undefined {
  if (value === undefined || value === null) return value;
  const ms = parseTime(value);
  return Number.isNaN(ms) ? (toIso(value) ?? null) : writeTime(value, ms);
}

/** Tells whether an id names a user. */
export const isNamed = (id: unknown): boolean => isText(id) && id !== '';

const fieldsOf = (message: AnyMessage, byType: typeof fieldsByType): readonly NamedField[] =>
  byType.get(message['type'] as string) ?? [];

// JSON has no other numbers, but 1e400 is read as Infinity.
const isText = (value: unknown): boolean => typeof value === 'string' || Number.isFinite(value);

const isObject = (value: unknown): boolean => (Array.isArray(value) ? value.length === 0 : isRecord(value));

const holds = (kind: NamedField['kind'], value: unknown): boolean =>
  kind === 'object' ? isObject(value) : isText(value);

function expectedOf(kind: NamedField['kind'], isRequired: boolean): string {
  if (kind === 'object') return 'an object';
  return isRequired ? 'a non-empty string' : 'a string';
}
