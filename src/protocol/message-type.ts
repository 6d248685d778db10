import type { Calls, MessageTypeName } from './calls.js';
import type { CommonFields, DraftFields } from './common.js';
import type { OwnField } from './message-shapes.js';
import { type Inspect, type Mistake, mistakeIn } from './mistake.js';

/** A message whose fields have all been read but not checked. */
export type Draft<T extends MessageTypeName> = DraftFields & { type: T } & {
  [K in Exclude<OwnField<T>, keyof DraftFields>]-?: Calls[T][K & keyof Calls[T]] | null | undefined;
};

/** The input that a message is read from. */
export type Unread<T extends MessageTypeName> = { readonly [K in keyof Draft<T>]?: Draft<T>[K] | null };

/** One of the calls: how it is read, when it is valid, and how a mistake in it is described. */
export interface MessageType {
  readonly name: MessageTypeName;
  /** The names of its fields. */
  readonly fields: ReadonlySet<string>;
  /**
   * Reads each field of the type once, into a new object, so that what is checked is what is sent, also with
   * getters and proxies. A field that is absent is there as `undefined`.
   */
  // biome-ignore lint/suspicious/noExplicitAny: anything a caller passes; reading it is what makes it known.
  read(message: any): DraftFields;
  /** Returns whether `mistakeIn` would find nothing, except in the timestamp, without the cost of an explanation. */
  holds(message: DraftFields): boolean;
  /** Finds the first mistake in a message, and its place. */
  mistakeIn(message: DraftFields): Mistake | undefined;
  /** Completes a message that holds, before it is sent. */
  finish?(message: DraftFields): void;
}

/** The parts of a type that are written from its schema. */
export interface Parts<T extends MessageTypeName> {
  readonly name: T;
  read(message: Unread<T>): Draft<T>;
  holds(message: Draft<T>): boolean;
  /** An inspection of each of its own fields. */
  readonly own: Readonly<Record<OwnField<T>, Inspect>>;
  /** Find mistakes that only several fields together show. */
  readonly together?: readonly Inspect[];
  finish?(message: Draft<T>): void;
}

/** Makes a type. `mistakeIn` goes field by field, so that it can say what is wrong where `holds` cannot. */
export function messageType<T extends MessageTypeName>(
  common: Readonly<Record<keyof CommonFields, Inspect>>,
  commonTogether: readonly Inspect[],
  { own, together = [], ...type }: Parts<T>,
): MessageType {
  return {
    ...type,
    fields: new Set(['type', ...Object.keys(common), ...Object.keys(own)]),
    mistakeIn(message) {
      const byField = mistakeIn(message, common) ?? mistakeIn(message, own);
      return [...commonTogether, ...together].reduce((mistake, inspect) => mistake ?? inspect(message), byField);
    },
  };
}
