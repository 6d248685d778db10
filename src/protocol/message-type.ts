import type { MessageTypeName } from './calls.js';
import type { CommonFields, DraftFields, Inspect, Mistake } from './common.js';

// biome-ignore lint/suspicious/noExplicitAny: each type has other fields, and a field is only known once it was checked.
type Unchecked = any;

/** One of the calls: how it is read, when it is valid, and how mistakes in it are described. */
export interface MessageType {
  readonly name: MessageTypeName;
  /** The names of its fields. */
  readonly fields: ReadonlySet<string>;
  /**
   * Reads each field of the type once into a new object, so that what is checked is what is sent, even with getters and proxies.
   * An absent field is `undefined` in the result.
   */
  read(message: Unchecked): DraftFields;
  /** Finds the first mistake in a message, except in its timestamp. It creates no object for a correct message. */
  mistakeIn(message: Unchecked): Mistake | undefined;
  /** Completes a valid message before it is sent. */
  finish?(message: Unchecked): void;
}

/** @param own the names of the fields that not every call has */
export const messageType = (
  common: Readonly<Record<keyof CommonFields, Inspect>>,
  { own, ...type }: Omit<MessageType, 'fields'> & { readonly own: readonly string[] },
): MessageType => ({ ...type, fields: new Set(['type', ...Object.keys(common), ...own]) });
