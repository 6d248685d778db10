import {
  type CommonFields,
  commonInspections,
  type DraftFields,
  EXPECTED_ID,
  isString,
  isText,
  mistakeInIds,
} from './common.js';
import { commonFields, type Field, type FieldsOf, type ownFields } from './field-table.js';
import { type Inspect, type Mistake, mistakeIn, optional, required } from './mistake.js';
import { isRecord } from './plain.js';

/** One of the six calls: how it is read, when it is valid, and how a mistake in it is described. */
export interface MessageType {
  readonly name: keyof typeof ownFields;
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

/** A message whose fields have all been read but not checked. */
export type Draft<M extends { type: string }> = DraftFields & { type: M['type'] } & {
  [K in Exclude<keyof M, keyof DraftFields | 'type'>]-?: M[K] | null | undefined;
};

/** The input that a message is read from. */
export type Unread<M extends { type: string }> = { readonly [K in keyof Draft<M>]?: Draft<M>[K] | null };

/** What a type is made of. A field of `Call` that `own` forgets, or takes for another kind, does not compile. */
interface Definition<Call extends CommonFields, M extends { type: MessageType['name'] }> {
  readonly name: M['type'];
  readonly own: FieldsOf<Call, keyof CommonFields>;
  read(message: Unread<M>): Draft<M>;
  holds(message: Draft<M>): boolean;
  /** Inspections of fields that have to be more than their kind. */
  readonly inspections?: Readonly<Record<string, Inspect>>;
  /** Finds a mistake that only several fields together show. */
  mistakeTogether?(message: Draft<M>): Mistake | undefined;
  finish?(message: Draft<M>): void;
}

/** Makes a type. It finds mistakes by the table of fields, so that it can say what is wrong where `holds` cannot. */
export function messageType<Call extends CommonFields, M extends { type: MessageType['name'] }>({
  own,
  inspections,
  mistakeTogether,
  ...type
}: Definition<Call, M>): MessageType {
  return {
    ...type,
    fields: new Set(['type', ...Object.keys(commonFields), ...Object.keys(own)]),
    mistakeIn(message) {
      const byKind = Object.entries<Field>(own).map(([name, field]) => [name, inspectionOf(field)]);
      return (
        mistakeIn(message, commonInspections) ??
        mistakeIn(message, { ...Object.fromEntries(byKind), ...inspections }) ??
        mistakeInIds(message) ??
        mistakeTogether?.(message as Draft<M>)
      );
    },
  };
}

function inspectionOf({ kind, isRequired }: Field): Inspect {
  if (isRequired) return required(isText, EXPECTED_ID);
  return kind === 'object' ? optional(isRecord, 'a plain object') : optional(isString, 'a string');
}
