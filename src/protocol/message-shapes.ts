import type { Calls, MessageTypeName } from './calls.js';
import type { CommonFields, SentFields } from './common.js';
import type { Context } from './context.js';
import type { Integrations } from './integrations.js';
import type { PageProperties } from './page-properties.js';

/** The names of the fields that a call of the type has, or requires, beyond those of every call. */
export type OwnField<T extends MessageTypeName> = {
  [K in keyof Calls[T]]-?: K extends keyof CommonFields ? (undefined extends Calls[T][K] ? never : K) : K;
}[keyof Calls[T]];

/** The same in a message. The second name that a page may give its `properties` is not sent. */
export type SentField<T extends MessageTypeName> =
  'properties' extends OwnField<T> ? Exclude<OwnField<T>, 'traits'> : OwnField<T>;

/** The value that JSON makes of what a call takes. An object none of whose fields has a type of its own is any object. */
type Written<V, Known> = [V] extends [string] ? V : [keyof V] extends [never] ? Record<string, unknown> : Known;

/** The own fields of a message. `Absent` is what a field may be that was left out, `Known` an object whose fields have types. */
export type SentOwnFields<T extends MessageTypeName, Absent, Known = PageProperties> = {
  [K in keyof Calls[T] as Extract<K, SentField<T>>]:
    | Written<NonNullable<Calls[T][K]>, Known>
    | (undefined extends Calls[T][K] ? Absent : never);
};

/** A message of the type as it is sent. */
export type Sent<T extends MessageTypeName> = SentFields & { type: T } & SentOwnFields<T, undefined>;

/** A field that may be absent. Several clients write `null` for "not known", so it may be that as well. */
type Maybe<T> = T | null | undefined;

/** The fields that every event but `delete` has. */
export interface CommonEventFields {
  /** The version of the format. */
  version: 1;
  /** The same on every attempt, and on every delivery of this message: what to tell duplicates by. */
  messageId: string;
  /** The time at which it happened, in UTC: `2026-11-20T12:00:00.000Z`. */
  timestamp: string;
  /** The user's id in the sender's own database. */
  userId?: Maybe<string>;
  /** An id for someone who had not signed in. */
  anonymousId?: Maybe<string>;
  /** Describes the surroundings of the event: device, page, campaign, locale. */
  context?: Maybe<Context>;
  integrations?: Maybe<Integrations>;
  /** The time at which it happened by the clock of the machine that called; `timestamp` is corrected for that clock's error. */
  originalTimestamp?: Maybe<string>;
  /** The time at which that machine sent it, by its own clock. */
  sentAt?: Maybe<string>;
  /** The time at which the collector took it. */
  receivedAt?: Maybe<string>;
}

/** An event of the type as a webhook delivers it. */
export type Delivered<T extends MessageTypeName> = CommonEventFields & { type: T } & SentOwnFields<T, null | undefined>;

/** A user asked to be forgotten: delete what you keep about them. It has no `messageId` and no `version`. */
export interface DeleteEvent {
  type: 'delete';
  userId: string;
  /** The time at which the deletion was asked for, in UTC. */
  timestamp: string;
}
