import type { CommonEventFields, WebhookEvent, WebhookEventType } from './event.js';

/** What a field of an event holds. A `time` is text as well: ISO 8601, in UTC with milliseconds. */
export type FieldKind = 'text' | 'time' | 'object';

export interface Field<Kind extends FieldKind = FieldKind, IsRequired extends boolean = boolean> {
  readonly kind: Kind;
  /** Present, not `null`, and as text not empty. */
  readonly isRequired: IsRequired;
}

export interface NamedField extends Field {
  readonly name: string;
}

type KindOf<T> = NonNullable<T> extends string ? 'text' | 'time' : 'object';
type FieldOf<T> = undefined extends T ? Field<KindOf<T>, false> : Field<KindOf<T>, true>;

/** The fields of an event: one that is forgotten, or of another kind than its type says, does not compile. */
type Fields<E> = { readonly [K in keyof Omit<E, 'type' | 'version'>]-?: FieldOf<E[K]> };

const text: Field<'text', true> = { kind: 'text', isRequired: true };
const time: Field<'time', true> = { kind: 'time', isRequired: true };
const maybeText: Field<'text', false> = { kind: 'text', isRequired: false };
const maybeTime: Field<'time', false> = { kind: 'time', isRequired: false };
const maybeObject: Field<'object', false> = { kind: 'object', isRequired: false };

const common = {
  messageId: text,
  timestamp: time,
  userId: maybeText,
  anonymousId: maybeText,
  context: maybeObject,
  integrations: maybeObject,
  originalTimestamp: maybeTime,
  sentAt: maybeTime,
  receivedAt: maybeTime,
} satisfies Fields<CommonEventFields>;

type EventOf<T extends WebhookEventType> = Extract<WebhookEvent, { type: T }>;

const byType: { readonly [T in WebhookEventType]: Fields<EventOf<T>> } = {
  identify: { traits: maybeObject, ...common },
  track: { event: text, properties: maybeObject, ...common },
  page: { category: maybeText, name: maybeText, properties: maybeObject, ...common },
  screen: { category: maybeText, name: maybeText, properties: maybeObject, ...common },
  group: { groupId: text, traits: maybeObject, ...common },
  alias: { previousId: text, ...common, userId: text },
  delete: { userId: text, timestamp: time },
};

/** The fields of each type of event, its own first. A map, so that `constructor` is no type. */
export const eventFields: ReadonlyMap<string, readonly NamedField[]> = new Map(
  Object.entries(byType).map(([type, fields]) => [
    type,
    Object.entries<Field>(fields).map(([name, field]) => ({ name, ...field })),
  ]),
);

/** The types of messages: all that a call makes. */
export const MESSAGE_TYPES: readonly string[] = Object.keys(byType).filter((type) => type !== 'delete');
