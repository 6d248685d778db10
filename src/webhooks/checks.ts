import { eventFields, type NamedField } from '../protocol/event-fields.js';
import type { FieldKind } from '../protocol/field-table.js';
import { isTime } from '../protocol/timestamp.js';

/**
 * One field: when it holds, and what to say when it does not. Made of the table rather than of a zod schema: a receiver is
 * often a small function that starts on every call, and ten lines take the place of 20 kB and several milliseconds.
 */
export interface Check {
  readonly field: string;
  holds(value: unknown): boolean;
  readonly expected: string;
}

const isString = (value: unknown): boolean => typeof value === 'string';

// What JSON.parse gives is an array, a plain object, or no object at all.
const isObject = (value: unknown): boolean => typeof value === 'object' && !Array.isArray(value);

const required: Readonly<Record<FieldKind, Omit<Check, 'field'>>> = {
  text: { expected: 'a non-empty string', holds: (value) => isString(value) && value !== '' },
  time: { expected: 'an ISO 8601 time', holds: isTime },
  object: { expected: 'an object', holds: (value) => isObject(value) && value !== null },
};

// What is in an object is not looked at: the type says what the protocol has there. Nor is a time that may be absent, which
// other senders hand on as a client wrote it.
const optional: Readonly<Record<FieldKind, Omit<Check, 'field'>>> = {
  text: { expected: 'a string, or nothing', holds: (value) => isAbsent(value) || isString(value) },
  time: { expected: 'a string, or nothing', holds: (value) => isAbsent(value) || isString(value) },
  object: { expected: 'an object, or nothing', holds: (value) => isAbsent(value) || isObject(value) },
};

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

const version: Check = { field: 'version', expected: '1', holds: (value) => value === 1 };

const checkOf = ({ name, kind, isRequired }: NamedField): Check => ({
  field: name,
  ...(isRequired ? required : optional)[kind],
});

/** The checks of each type by name, in the order in which they are made. */
export const checks: ReadonlyMap<string, readonly Check[]> = new Map(
  [...eventFields].map(([type, fields]) => [type, [...(type === 'delete' ? [] : [version]), ...fields.map(checkOf)]]),
);
