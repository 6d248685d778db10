import { ownFields } from './own-fields.js';

/** The type of the values of each kind. A `time` is also text: ISO 8601, in UTC with milliseconds. */
type ValueOf = { text: string; time: string; object: object };

/** The kind of a field's value. Each part that treats kinds differently has a table of them, which does not compile without a new kind. */
export type FieldKind = keyof ValueOf;

export interface Field<Kind extends FieldKind = FieldKind, IsRequired extends boolean = boolean> {
  readonly kind: Kind;
  /** True if the field must be present and not `null` and, if it is text, not empty. */
  readonly isRequired: IsRequired;
}

type KindOf<T> = { [K in FieldKind]: NonNullable<T> extends ValueOf[K] ? K : never }[FieldKind];
type FieldOf<T> = undefined extends T ? Field<KindOf<T>, false> : Field<KindOf<T>, true>;

/** The fields of a type. A missing field, or one of another kind than its type, does not compile. */
export type FieldsOf<T, Elsewhere = never> = { readonly [K in Exclude<keyof T, Elsewhere>]-?: FieldOf<T[K]> };

/** Tells for each kind whether a person writes its value as JSON. Other values are written as they are. */
export const IS_JSON: Readonly<Record<FieldKind, boolean>> = { text: false, time: false, object: true };

const text: Field<'text', true> = { kind: 'text', isRequired: true };
const time: Field<'time', true> = { kind: 'time', isRequired: true };
const maybeText: Field<'text', false> = { kind: 'text', isRequired: false };
const maybeTime: Field<'time', false> = { kind: 'time', isRequired: false };
const maybeObject: Field<'object', false> = { kind: 'object', isRequired: false };

// All parts take their fields from this table: the call, the collector, a destination, the receiver, the command and its page. It
// contains only data, so that no part loads the code of another.

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

/** The name of a message type. It equals the type in calls.ts, which the page cannot import. */
type MessageTypeName = keyof typeof ownFields;

/** The type of an event: that of a message, or the deletion of a user. */
export type EventType = MessageTypeName | 'delete';

/** The types of messages that calls create. */
export const MESSAGE_TYPES = Object.keys(ownFields) as MessageTypeName[];

/** The types of events that a destination accepts. */
export const EVENT_TYPES: readonly string[] = [...MESSAGE_TYPES, 'delete'];

export const isEventType = (type: unknown): type is EventType => typeof type === 'string' && EVENT_TYPES.includes(type);

/** All fields of a user's deletion. */
export const deleteFields = { userId: text, timestamp: time };
