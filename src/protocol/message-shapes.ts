import type { Calls, MessageTypeName } from './calls.js';
import type { CommonFields, SentFields } from './common.js';
import type { Context } from './context.js';
import type { Integrations } from './integrations.js';
import type { PageProperties } from './page-properties.js';

/** The names of the fields that calls of this type have or require in addition to the common ones. */
export type OwnField<T extends MessageTypeName> = {
  [K in keyof Calls[T]]-?: K extends keyof CommonFields ? (undefined extends Calls[T][K] ? never : K) : K;
}[keyof Calls[T]];

/** The same names in a message, without the alternative name of a page's `properties`, which is not sent. */
export type SentField<T extends MessageTypeName> =
  'properties' extends OwnField<T> ? Exclude<OwnField<T>, 'traits'> : OwnField<T>;

/** The type of a value after JSON has written it. An object without typed fields becomes any object. */
type WrittenValue<V, Known> = [V] extends [object] ? ([keyof V] extends [never] ? Record<string, unknown> : Known) : V;

/** The own fields of a message. `Absent` is the type of an absent field, and `Known` that of an object with typed fields. */
export type SentOwnFields<T extends MessageTypeName, Absent, Known = PageProperties> = {
  [K in keyof Calls[T] as Extract<K, SentField<T>>]:
    | WrittenValue<NonNullable<Calls[T][K]>, Known>
    | (undefined extends Calls[T][K] ? Absent : never);
};

/** A message of the type as it is sent. */
export type SentMessage<T extends MessageTypeName> = SentFields & { type: T } & SentOwnFields<T, undefined>;

/** A field that may be absent. It may also be `null`, because several clients write that for "not known". */
type Maybe<T> = T | null | undefined;

/** The fields that every event but `delete` has. */
export interface CommonEventFields {
  /** The version of the format. */
  version: 1;
  /** The same on every attempt and every delivery of this message, so it identifies duplicates. */
  messageId: string;
  /** When it happened, in UTC: `2026-11-20T12:00:00.000Z`. */
  timestamp: string;
  /** The user's id in the sender's own database. */
  userId?: Maybe<string>;
  /** An id for someone who had not signed in. */
  anonymousId?: Maybe<string>;
  /** Describes the surroundings of the event: device, page, campaign, locale. */
  context?: Maybe<Context>;
  integrations?: Maybe<Integrations>;
  /** When it happened by the clock of the machine that called; `timestamp` is corrected for that clock's error. */
  originalTimestamp?: Maybe<string>;
  /** When that machine sent it, by its own clock. */
  sentAt?: Maybe<string>;
  /** When the collector accepted it. */
  receivedAt?: Maybe<string>;
}

/** An event of the type as a webhook delivers it. */
export type Delivered<T extends MessageTypeName> = CommonEventFields & { type: T } & SentOwnFields<T, null | undefined>;

/** A user asked to be forgotten. Delete what you store about the user. The event has no `messageId` and no `version`. */
export interface DeleteEvent {
  type: 'delete';
  userId: string;
  /** When the deletion was requested, in UTC. */
  timestamp: string;
}
