import { expect, test } from 'vitest';
import { canonicalize, canonicalTime } from '../../src/protocol/canonical.js';
import { eventFields } from '../../src/protocol/event-fields.js';
import { MESSAGE_TYPES } from '../../src/protocol/field-table.js';
import { NEEDED } from '../support/sample-calls.js';

const OBJECTS = ['properties', 'traits', 'context', 'integrations'];

const fieldsOf = (type: string, kind: string): string[] =>
  (eventFields.get(type) ?? []).filter((field) => field.kind === kind).map(({ name }) => name);

const texts = MESSAGE_TYPES.flatMap((type) =>
  fieldsOf(type, 'text').flatMap((name) => (name === 'messageId' ? [] : [[type, name] as const])),
);
const objects = MESSAGE_TYPES.flatMap((type) => OBJECTS.map((name) => [type, name] as const));

test.each(texts)('in the table, %s has the text field %s, which may be a number but not an object', (type, name) => {
  const message: Record<string, unknown> = { type, ...NEEDED, [name]: 42 };
  expect(canonicalize(message)).toBeUndefined();
  expect(message[name]).toBe('42');
  expect(canonicalize({ type, ...NEEDED, [name]: {} })).toMatchObject({ field: name });
  expect(canonicalize({ type, ...NEEDED, [name]: Number.POSITIVE_INFINITY })).toMatchObject({ field: name });
});

test.each(objects)('a %s may have an empty list as its %s, but no other list', (type, name) => {
  const message: Record<string, unknown> = { type, ...NEEDED, [name]: [] };
  expect(canonicalize(message)).toBeUndefined();
  expect(message[name]).toEqual({});
  expect(canonicalize({ type, ...NEEDED, [name]: [1] })).toMatchObject({ field: name, isMissing: false });
});

const required = MESSAGE_TYPES.flatMap((type) =>
  (eventFields.get(type) ?? [])
    .filter(({ kind, name, isRequired }) => isRequired && kind === 'text' && name !== 'messageId')
    .map(({ name }) => [type, name] as const),
);

test.each(required)('a %s requires its %s', (type, name) => {
  for (const value of [undefined, null, '']) {
    const expected = { field: name, expected: 'a non-empty string', isMissing: true };
    expect(canonicalize({ type, ...NEEDED, [name]: value })).toEqual(expected);
  }
});

test('a message with a field that has no canonical form is not changed', () => {
  const message = { type: 'track', userId: 7, event: 'e', properties: [], context: 'c' };
  expect(canonicalize(message)).toMatchObject({ field: 'context', isMissing: false });
  expect(message).toEqual({ type: 'track', userId: 7, event: 'e', properties: [], context: 'c' });
});

test('a field that belongs to another type is not changed', () => {
  const message = { type: 'track', ...NEEDED, groupId: 5, name: {} };
  expect(canonicalize(message)).toBeUndefined();
  expect(message).toMatchObject({ groupId: 5, name: {} });
});

test.each<[unknown, string | null | undefined]>([
  [undefined, undefined],
  [null, null],
  [0, '1970-01-01T00:00:00.000Z'],
  [new Date(0), '1970-01-01T00:00:00.000Z'],
  ['2026-11-20T12:00:00.000Z', '2026-11-20T12:00:00.000Z'],
  ['2026-11-20T12:00', '2026-11-20T12:00:00.000Z'],
  ['2026-11-20t13:00:00.0001+01', '2026-11-20T12:00:00.000Z'],
  ['now', null],
  [{}, null],
])('the canonical form of the time %j is %j', (given, expected) => {
  expect(canonicalTime(given)).toBe(expected);
});
