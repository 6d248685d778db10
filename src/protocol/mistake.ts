import { hasTooMany, isRecord, MAX_FIELDS } from './plain.js';

/** A mistake in a value. */
export interface Mistake {
  /** The place inside of the value. */
  readonly path: readonly PropertyKey[];
  /** Describes what should stand there: `a non-empty string`. */
  readonly expected: string;
  /** Describes what stands there, if that takes more than its kind. */
  readonly received?: string;
}

/** Finds the first mistake in a value; undefined when there is none. */
export type Inspect = (value: unknown) => Mistake | undefined;

/** One inspection for each field of an interface: a field that is forgotten does not compile. */
export type Inspections<T> = { readonly [K in keyof T]-?: Inspect };

/**
 * Makes the inspection of a required field from a predicate. The guard of a call uses the same predicate, and only says that
 * something is wrong.
 */
export const required =
  (holds: (value: unknown) => boolean, expected: string): Inspect =>
  (value) =>
    holds(value) ? undefined : { path: [], expected };

/** Makes the inspection of a field that may be absent. */
export const optional = (holds: (value: unknown) => boolean, expected: string): Inspect =>
  required((value) => value == null || holds(value), expected);

/**
 * Finds that a value is no object, or has more fields than fit.
 *
 * @param counted the word for its fields where their number is bounded
 */
export function mistakeInRecord(value: unknown, counted?: string): Mistake | undefined {
  if (!isRecord(value)) return { path: [], expected: 'a plain object' };
  return counted !== undefined && hasTooMany(value)
    ? { path: [], expected: `at most ${MAX_FIELDS} ${counted}`, received: 'more' }
    : undefined;
}

/** Places a mistake in a field of the value that it was found in. */
export const at = (name: string, mistake: Mistake | undefined): Mistake | undefined =>
  mistake && { ...mistake, path: [name, ...mistake.path] };

/** Finds the first field that an inspection finds a mistake in. */
export function mistakeInEach(fields: object, inspect: Inspect): Mistake | undefined {
  for (const name of Object.keys(fields)) {
    const mistake = inspect((fields as Readonly<Record<string, unknown>>)[name]);
    if (mistake !== undefined) return at(name, mistake);
  }
  return undefined;
}

/** Finds the first mistake in any of the fields, in their order. */
export function mistakeIn(fields: object, inspections: Readonly<Record<string, Inspect>>): Mistake | undefined {
  for (const [name, inspect] of Object.entries(inspections)) {
    const mistake = inspect((fields as Readonly<Record<string, unknown>>)[name]);
    if (mistake !== undefined) return at(name, mistake);
  }
  return undefined;
}
