import type { MessageTypeName } from '../../src/protocol/calls.js';
import { type Field, MESSAGE_TYPES } from '../../src/protocol/field-table.js';
import { ownFields } from '../../src/protocol/own-fields.js';
import { sampleEvents } from '../../src/webhooks/testing/sample-events.js';

// Tests that are about every type of message take their types and fields from here, so that a new type needs no edit in them.

interface CallFields {
  readonly userId: string;
  readonly [field: string]: unknown;
}

const fieldsOf = (type: MessageTypeName, isMeant: (field: Field) => boolean = () => true): [string, unknown][] =>
  Object.entries<Field>(ownFields[type])
    .filter(([name, field]) => name in sampleEvents[type] && isMeant(field))
    .map(([name]) => [name, (sampleEvents[type] as Readonly<Record<string, unknown>>)[name]]);

/** The argument of a call of each type: a user, and the type's fields, as the sample event has them. */
export const sampleCalls = Object.fromEntries(
  MESSAGE_TYPES.map((type) => [type, { userId: 'u1', ...Object.fromEntries(fieldsOf(type)) }]),
) as unknown as Readonly<Record<MessageTypeName, CallFields>>;

/** A user, and the fields that one type or another requires: a call of any type accepts it. */
export const NEEDED: CallFields = {
  userId: 'u1',
  ...Object.fromEntries(MESSAGE_TYPES.flatMap((type) => fieldsOf(type, ({ isRequired }) => isRequired))),
};

/** Makes a call whose type is known only when the test runs. */
export const callOf = (caller: object, type: MessageTypeName, message: object): unknown =>
  (caller as Readonly<Record<MessageTypeName, (message: object) => unknown>>)[type](message);
