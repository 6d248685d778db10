import { eventFields, type NamedField } from './event-fields.js';
import { type FieldKind, stampedFields } from './field-table.js';
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

/** Returns the canonical form of a value of each kind; undefined for a value that has none. */
const CANONICAL: Readonly<Record<FieldKind, (value: unknown) => unknown>> = {
  text: (value) => (isText(value) ? String(value) : undefined),
  time: (value) => canonicalTime(value) ?? undefined,
  object: (value) => (Array.isArray(value) && value.length === 0 ? {} : isRecord(value) ? value : undefined),
};

const EXPECTED: Readonly<Record<FieldKind, string>> = { text: 'a string', time: 'a time', object: 'an object' };

const expectedOf = (kind: FieldKind, isRequired: boolean): string =>
  isRequired && kind === 'text' ? 'a non-empty string' : EXPECTED[kind];

/** Collectors check that these fields are objects in messages of every type. */
const OBJECTS = ['properties', 'traits', 'context', 'integrations'].map(
  (name): NamedField => ({ name, kind: 'object', isRequired: false }),
);

/** The code that accepts a message handles its id and these times. */
const ELSEWHERE: ReadonlySet<string> = new Set(['messageId', 'timestamp', ...Object.keys(stampedFields)]);

const fieldsByType: ReadonlyMap<string, readonly NamedField[]> = new Map(
  [...eventFields].map(([type, fields]) => {
    const others = type === 'delete' ? [] : OBJECTS.filter(({ name }) => !fields.some((field) => field.name === name));
    return [type, [...fields.filter(({ name }) => !ELSEWHERE.has(name)), ...others]];
  }),
);

const canonicalByField = new Map([...fieldsByType.values()].flat().map(({ name, kind }) => [name, CANONICAL[kind]]));

/**
 * Tells whether every field of any type is either absent or already in the canonical form, as it is in most messages. It is
 * faster than a check by type. It may return false for a message that is canonical.
 */
export function isCanonical(message: AnyMessage): boolean {
  for (const name in message) {
    const value = message[name];
    const canonical = canonicalByField.get(name);
    if (canonical !== undefined && !isAbsent(value) && canonical(value) !== value) return false;
  }
  return true;
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

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
  for (const { name, kind, isRequired } of fieldsOf(message)) {
    if (isAlready && !isRequired) continue;
    const value = message[name];
    if (isInexactId(name, value)) return { field: name, expected: EXPECTED_ID, isMissing: false };
    const isMissing = isAbsent(value) || (isRequired && value === '');
    if (isMissing ? !isRequired : CANONICAL[kind](value) !== undefined) continue;
    return { field: name, expected: expectedOf(kind, isRequired), isMissing: isRequired };
  }
  return undefined;
}

/** Converts the fields of a message to the canonical form, in place. Call it only if `fieldProblem` finds none. */
export function canonicalizeFields(message: AnyMessage): void {
  if (isCanonical(message)) return;
  for (const { name, kind } of fieldsOf(message)) {
    if (!isAbsent(message[name])) message[name] = CANONICAL[kind](message[name]);
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

const fieldsOf = (message: AnyMessage): readonly NamedField[] => fieldsByType.get(message['type'] as string) ?? [];

// Excludes Infinity, because JSON.parse reads 1e400 as Infinity. JSON has no other numbers that are not finite.
const isText = (value: unknown): boolean => typeof value === 'string' || Number.isFinite(value);
