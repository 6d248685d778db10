import type { Calls, MessageTypeName } from './calls.js';
import type { CommonFields, DraftFields } from './common.js';
import type { OwnField } from './message-shapes.js';
import { type Inspect, type Mistake, mistakeIn } from './mistake.js';

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
  /** Tells whether the message, except its timestamp, has no mistakes. Cheaper than `mistakeIn`, because it explains nothing. */
  holds(message: DraftFields): boolean;
  /** Finds the first mistake in a message, and its place. */
  mistakeIn(message: DraftFields): Mistake | undefined;
  /** Completes a valid message before it is sent. */
  finish?(message: DraftFields): void;
}

/** The parts of a type that are generated from its schema. */
export interface TypeParts<T extends MessageTypeName> {
  readonly name: T;
  read(message: Unread<T>): Draft<T>;
  holds(message: Draft<T>): boolean;
  /** An inspection of each of its own fields. */
  readonly own: Readonly<Record<OwnField<T>, Inspect>>;
  /** Inspections for mistakes that involve several fields. */
  readonly together?: readonly Inspect[];
  finish?(message: Draft<T>): void;
}

/** Creates a message type. `mistakeIn` inspects field by field, so that it can explain what `holds` only detects. */
export function messageType<T extends MessageTypeName>(
  common: Readonly<Record<keyof CommonFields, Inspect>>,
  commonTogether: readonly Inspect[],
  { own, together = [], ...type }: TypeParts<T>,
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
