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

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** The fields that identify a user or a group. */
const IDS: ReadonlySet<string> = new Set(['userId', 'anonymousId', 'groupId', 'previousId']);

const EXPECTED_ID = `a string, or an integer of at most ${Number.MAX_SAFE_INTEGER}, as larger ones lose digits`;

/** A larger number has lost digits when JSON was parsed, so two users could become one. */
const isInexactId = (name: string, value: unknown): boolean =>
  Number.isFinite(value) && IDS.has(name) && !Number.isSafeInteger(value);

/**
 * Converts the fields of a message of a known type to the canonical form, in place. If a field has no canonical form, it returns
 * the first such field and changes nothing. It accepts what existing clients really send: text may be a number, an optional field
 * may be `null`, and an empty list counts as an empty object, because PHP writes it that way.
 */
export function canonicalize(message: AnyMessage): FieldProblem | undefined {
  const changes: AnyMessage = {};
  const problem = fieldProblem(message, changes);
  if (problem === undefined) Object.assign(message, changes);
  return problem;
}

/** Does the same, but leaves the message as it is. @param changes gets the canonical form of each field that has another form */
export function fieldProblem(message: AnyMessage, changes: AnyMessage): FieldProblem | undefined {
  for (const field of fieldsByType.get(message['type'] as string) ?? []) {
    const { name, kind, isRequired } = field;
    const value = message[name];
    const isMissing = isAbsent(value) || (isRequired && value === '');
    if (isMissing && !isRequired) continue;
    const canonical = isMissing ? undefined : CANONICAL[kind](value);
    if (canonical === undefined || isInexactId(name, value)) return problemOf(field, value);
    if (canonical !== value) changes[name] = canonical;
  }
  return undefined;
}

const problemOf = ({ name, kind, isRequired }: NamedField, value: unknown): FieldProblem =>
  isInexactId(name, value)
    ? { field: name, expected: EXPECTED_ID, isMissing: false }
    : { field: name, expected: expectedOf(kind, isRequired), isMissing: isRequired };

/** Returns the canonical form of an optional time, or `null` for a value that is not a time. */
export function canonicalTime(value: unknown): string | null | undefined {
  if (value === undefined || value === null) return value;
  const ms = parseTime(value);
  return Number.isNaN(ms) ? (toIso(value) ?? null) : writeTime(value, ms);
}

/** Tells whether an id identifies a user. */
export const isNamed = (id: unknown): boolean => isText(id) && id !== '';

// Excludes Infinity, because JSON.parse reads 1e400 as Infinity. JSON has no other numbers that are not finite.
const isText = (value: unknown): boolean => typeof value === 'string' || Number.isFinite(value);
