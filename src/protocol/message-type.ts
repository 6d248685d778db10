import type { Calls, MessageTypeName } from './calls.js';
import type { CommonFields, DraftFields, Inspect, Mistake } from './common.js';
import type { OwnField } from './message-shapes.js';

/** A message whose fields have all been read but not yet checked. */
export type Draft<T extends MessageTypeName> = DraftFields & { type: T } & {
  [K in Exclude<OwnField<T>, keyof DraftFields>]-?: Calls[T][K & keyof Calls[T]] | null | undefined;
};

/** The input that a message is read from. */
export type Unread<T extends MessageTypeName> = { readonly [K in keyof Draft<T>]?: Draft<T>[K] | null };

/** One of the calls: how it is read, when it is valid, and how mistakes in it are described. */
export interface MessageType {
  readonly name: MessageTypeName;
  /** The names of its fields. */
  readonly fields: ReadonlySet<string>;
  /**
   * Reads each field of the type once into a new object, so that what is checked is what is sent, even with getters and proxies.
   * An absent field is `undefined` in the result.
   */
  // biome-ignore lint/suspicious/noExplicitAny: anything a caller passes; reading it is what makes it known.
  read(message: any): DraftFields;
  /** Finds the first mistake in a message, except in its timestamp. It creates no object for a correct message. */
  mistakeIn(message: DraftFields): Mistake | undefined;
  /** Completes a valid message before it is sent. */
  finish?(message: DraftFields): void;
}

/** The parts of a type that are generated from its schema. */
interface TypeParts<T extends MessageTypeName> {
  readonly name: T;
  read(message: Unread<T>): Draft<T>;
  mistakeIn(message: Draft<T>): Mistake | undefined;
  /** The names of its own fields. */
  readonly own: readonly (OwnField<T> & string)[];
  finish?(message: Draft<T>): void;
}

export const messageType = <T extends MessageTypeName>(
  common: Readonly<Record<keyof CommonFields, Inspect>>,
  { own, ...type }: TypeParts<T>,
): MessageType => ({ ...type, fields: new Set(['type', ...Object.keys(common), ...own]) });
