import { toIso } from '../../protocol/timestamp.js';

/** One parameter of a query, or one text field of a filter. */
export interface QueryParameter<T> {
  readonly expected: string;
  /** Returns the value that a text stands for; undefined if the text is not valid. */
  read(text: string): T | undefined;
}

/** The parameters of a query, by name. */
export type QueryParameters<Query> = { readonly [N in keyof Query]-?: QueryParameter<NonNullable<Query[N]>> };

export const anyText: QueryParameter<string> = { expected: 'a non-empty string', read: (text) => text };

export const textThat = (expected: string, holds: (text: string) => boolean): QueryParameter<string> => ({
  expected,
  read: (text) => (holds(text) ? text : undefined),
});

export const integer = (from: number, to: number): QueryParameter<number> => ({
  expected: `an integer from ${from} to ${to}`,
  read(text) {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    return value >= from && value <= to ? value : undefined;
  },
});

export const oneOf = <T extends string>(...words: readonly T[]): QueryParameter<T> => ({
  expected: `one of ${words.join(', ')}`,
  read: (text) => words.find((word) => word === text),
});

/** A time, normalized to ISO 8601 in UTC. */
export const moment: QueryParameter<string> = {
  expected: 'an ISO 8601 time with Z or an offset',
  read: (text) => toIso(text),
};
