import type { DraftFields } from './common.js';
import type { Mistake } from './mistake.js';

/** One of the six calls: how it is read, when it is valid, and how a mistake in it is described. */
export interface MessageType {
  readonly name: 'identify' | 'track' | 'page' | 'screen' | 'group' | 'alias';
  /** The names of its fields. */
  readonly fields: ReadonlySet<string>;
  /**
   * Reads each field of the type once, into a new object, so that what is checked is what is sent, also with
   * getters and proxies. A field that is absent is there as `undefined`.
   */
  // biome-ignore lint/suspicious/noExplicitAny: anything a caller passes; reading it is what makes it known.
  read(message: any): DraftFields;
  /** Accepts what `mistakeIn` finds no mistake in, but for the timestamp, without the cost of an explanation. */
  holds(message: DraftFields): boolean;
  /** The first mistake in a message, and its place. */
  mistakeIn(message: DraftFields): Mistake | undefined;
  /** Completes a message that holds, before it is sent. */
  finish?(message: DraftFields): void;
}

/** A message of which every field has been read, and none has been checked. */
export type Draft<M extends { type: string }> = DraftFields & { type: M['type'] } & {
  [K in Exclude<keyof M, keyof DraftFields | 'type'>]-?: M[K] | null | undefined;
};

/** The input that a message is read from. */
export type Unread<M extends { type: string }> = { readonly [K in keyof Draft<M>]?: Draft<M>[K] | null };
