import { hasTooMany, isRecord, MAX_FIELDS } from './plain.js';

/** A mistake in a value. */
export interface Mistake {
  /** The path to the mistake inside the value. */
  readonly path: readonly PropertyKey[];
  /** Describes the expected value: `a non-empty string`. */
  readonly expected: string;
  /** Describes the actual value, if its kind alone does not explain the mistake. */
  readonly received?: string;
}

/** Returns the first mistake in a value; undefined if there is none. */
export type Inspect = (value: unknown) => Mistake | undefined;

/** One inspection for each field of an interface. A missing one does not compile. */
export type Inspections<T> = { readonly [K in keyof T]-?: Inspect };

/**
 * Returns a mistake if a value is not an object or has more fields than fit into a message.
 *
 * @param counted the word for its fields if their number is limited
 */
export function mistakeInRecord(value: unknown, counted?: string): Mistake | undefined {
  if (!isRecord(value)) return { path: [], expected: 'a plain object' };
  return counted !== undefined && hasTooMany(value)
    ? { path: [], expected: `at most ${MAX_FIELDS} ${counted}`, received: 'more' }
    : undefined;
}

/** Adds a field's name to the path of a mistake in its value. */
export const at = (name: string, mistake: Mistake | undefined): Mistake | undefined =>
  mistake && { ...mistake, path: [name, ...mistake.path] };

/** Returns the mistake in the first field in which the inspection finds one. */
export function mistakeInEach(fields: object, inspect: Inspect): Mistake | undefined {
  for (const name of Object.keys(fields)) {
    const mistake = inspect((fields as Readonly<Record<string, unknown>>)[name]);
    if (mistake !== undefined) return at(name, mistake);
  }
  return undefined;
}

/** Returns the first mistake in the fields, in the order of the inspections. */
export function mistakeIn(fields: object, inspections: Readonly<Record<string, Inspect>>): Mistake | undefined {
  for (const [name, inspect] of Object.entries(inspections)) {
    const mistake = inspect((fields as Readonly<Record<string, unknown>>)[name]);
    if (mistake !== undefined) return at(name, mistake);
  }
  return undefined;
}
