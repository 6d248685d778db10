import { expect, test } from 'vitest';
import type { MessageTypeName } from '../../src/protocol/calls.js';
import { eventFields } from '../../src/protocol/event-fields.js';
import {
  commonFields,
  EVENT_TYPES,
  type FieldKind,
  type FieldsOf,
  isEventType,
  MESSAGE_TYPES,
} from '../../src/protocol/field-table.js';
import { messageTypes } from '../../src/protocol/message-checks.js';
import { ownFields } from '../../src/protocol/own-fields.js';
import type { TrackEvent } from '../../src/protocol/webhook-event.js';
import { readEvent } from '../../src/webhooks/read-event.js';
import { errorOf } from './calling.js';

const RIGHT: Readonly<Record<FieldKind, unknown>> = { text: 'x', time: '2026-11-20T12:00:00.000Z', object: {} };

/** Returns a message with each field of its type. */
function full(type: MessageTypeName): Record<string, unknown> {
  const fields = Object.entries({ ...commonFields, ...ownFields[type] });
  return Object.fromEntries(fields.map(([name, { kind }]) => [name, RIGHT[kind]]));
}

/** Returns the error of a receiver for the message. */
function receivedErrorOf(type: string, message: object): string {
  try {
    readEvent(new TextEncoder().encode(JSON.stringify({ version: 1, type, ...message })));
    return 'accepted';
  } catch (error) {
    return String(error);
  }
}

const types = Object.keys(ownFields) as MessageTypeName[];

const cases = types.flatMap((type) =>
  Object.entries({ ...commonFields, ...ownFields[type] }).map(([name, field]) => ({ type, name, ...field })),
);

test.each(types)('a %s with each field of the table is accepted by the call and by a receiver', (type) => {
  expect(errorOf(type, full(type))).toBe('accepted');
  expect(receivedErrorOf(type, full(type))).toBe('accepted');
});

test.each(cases)(
  'the call and a receiver refuse a $type whose field $name is not of the kind $kind',
  ({ type, name, kind }) => {
    const wrong = { ...full(type), [name]: kind === 'object' ? 'x' : {} };
    expect(errorOf(type, wrong)).toMatch(`${type}.${name}: expected`);
    expect(receivedErrorOf(type, wrong)).toContain(`${type}.${name}: expected`);
  },
);

test.each(cases)(
  'the field $name of a $type may be absent only if it is not required ($isRequired)',
  ({ type, name, isRequired }) => {
    const absent = { ...full(type), [name]: null };
    expect(receivedErrorOf(type, absent) === 'accepted').toBe(!isRequired);
    // A call adds the id and the time itself.
    const isStamped = name === 'messageId' || name === 'timestamp';
    expect(errorOf(type, absent) === 'accepted').toBe(!isRequired || isStamped);
  },
);

test('a table that omits a field of its type, or has a wrong kind for it, does not compile', () => {
  type Own = FieldsOf<Pick<TrackEvent, 'event' | 'properties'>>;
  const { event, properties } = ownFields.track;
  // @ts-expect-error: `properties` is forgotten
  const forgotten: Own = { event };
  // @ts-expect-error: `event` is required
  const optional: Own = { event: { ...event, isRequired: false }, properties };
  // @ts-expect-error: `properties` is an object
  const another: Own = { event, properties: { kind: 'text', isRequired: false } };
  const right: Own = { event, properties };
  expect(new Set([forgotten, optional, another, right]).size).toBe(4);
});

test('the message types of the table are those of the calls', () => {
  expect(MESSAGE_TYPES).toEqual(Object.keys(messageTypes));
});

test('a destination accepts every type of message, and deletions', () => {
  expect(EVENT_TYPES).toEqual([...MESSAGE_TYPES, 'delete']);
  expect([...eventFields.keys()]).toEqual(EVENT_TYPES);
});

test.each(EVENT_TYPES)('%s is a type of event', (type) => {
  expect(isEventType(type)).toBe(true);
});

test.each(['', 'Track', 'constructor', undefined, null, ['track']])('%o is not a type of event', (type) => {
  expect(isEventType(type)).toBe(false);
});
