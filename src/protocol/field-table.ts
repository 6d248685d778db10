import { ownFields } from './own-fields.js';

/** The kind of a field's value. A `time` is text too: ISO 8601, in UTC with milliseconds. */
export type FieldKind = 'text' | 'time' | 'object';

export interface Field<Kind extends FieldKind = FieldKind, IsRequired extends boolean = boolean> {
  readonly kind: Kind;
  /** Present, not `null`, and as text not empty. */
  readonly isRequired: IsRequired;
}

type KindOf<T> = NonNullable<T> extends string ? Exclude<FieldKind, 'object'> : 'object';
type FieldOf<T> = undefined extends T ? Field<KindOf<T>, false> : Field<KindOf<T>, true>;

/** The fields of a type: one that is forgotten, or of another kind than its type says, does not compile. */
export type FieldsOf<T, Elsewhere = never> = { readonly [K in Exclude<keyof T, Elsewhere>]-?: FieldOf<T[K]> };

const text: Field<'text', true> = { kind: 'text', isRequired: true };
const time: Field<'time', true> = { kind: 'time', isRequired: true };
const maybeText: Field<'text', false> = { kind: 'text', isRequired: false };
const maybeTime: Field<'time', false> = { kind: 'time', isRequired: false };
const maybeObject: Field<'object', false> = { kind: 'object', isRequired: false };

// The table from which every door takes its fields: the call, the collector, a destination, the receiver, the command and its
// page. It is data alone, so that no door loads the code of another.

/** The fields that every message has. */
export const commonFields = {
  messageId: text,
  timestamp: time,
  userId: maybeText,
  anonymousId: maybeText,
  context: maybeObject,
  integrations: maybeObject,
};

/** The fields that the client and the collector add on the way. */
export const stampedFields = { originalTimestamp: maybeTime, sentAt: maybeTime, receivedAt: maybeTime };

/** The name of a type of message. It is that of calls.ts, which the page cannot import. */
type MessageTypeName = keyof typeof ownFields;

/** A type of event: of a message, or a user's deletion. */
export type EventType = MessageTypeName | 'delete';

/** The types of messages that calls make. */
export const MESSAGE_TYPES = Object.keys(ownFields) as MessageTypeName[];

/** The types of events that a destination takes. */
export const EVENT_TYPES: readonly string[] = [...MESSAGE_TYPES, 'delete'];

export const isEventType = (type: unknown): type is EventType => typeof type === 'string' && EVENT_TYPES.includes(type);

/** All that a user's deletion has. */
export const deleteFields = { userId: text, timestamp: time };
