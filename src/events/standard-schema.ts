import { OptionError } from '../base/errors/errors.js';
import { describe } from '../base/text/describe.js';

/**
 * A schema of any library that follows Standard Schema, version 1 (https://standardschema.dev), such as zod, valibot or
 * arktype. This interface has only the parts that we use.
 */
export interface StandardSchema<Input = unknown> {
  readonly '~standard': Standard<Input>;
}

export interface Standard<Input = unknown> {
  readonly version: 1;
  readonly vendor: string;
  readonly validate: (value: unknown) => unknown;
  /** For types only; absent at run time. */
  readonly types?: { readonly input: Input; readonly output: unknown } | undefined;
}

/** The result of a schema for a value. */
export interface SchemaResult {
  /** Absent if the value is valid. */
  readonly issues?: readonly SchemaIssue[] | undefined;
}

export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The input type of a schema, from its `~standard`. */
export type InputOf<S> = S extends { readonly types?: infer Types }
  ? NonNullable<Types>['input' & keyof NonNullable<Types>]
  : unknown;

/** arktype's schemas are functions. */
const isObject = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';

export const isStandardSchema = (value: unknown): value is StandardSchema => isObject(value) && '~standard' in value;

/**
 * Returns the `~standard` of a schema.
 *
 * @param option the name of the option that holds the schema, for the error
 * @throws OptionError if it is not a schema, or declares that it is asynchronous
 */
export function standardOf(schema: unknown, option: string): Standard {
  if (!isStandardSchema(schema) || typeof schema['~standard']?.validate !== 'function') {
    const hint = 'zod from 3.24, valibot from 1.0 and arktype from 2.0 make them';
    throw new OptionError('client', option, 'a Standard Schema', describe(schema), hint);
  }
  const standard = schema['~standard'];
  if (isAsync(schema)) {
    const hint = 'A call does not wait: do asynchronous checks before the call';
    throw new OptionError('client', option, 'a synchronous schema', 'an asynchronous one', hint);
  }
  return standard;
}

/**
 * Returns true if the schema is known to be asynchronous: valibot's schemas say so, and an `async` function is recognised. Other
 * asynchronous schemas are noticed when they first return a promise.
 */
const isAsync = (schema: StandardSchema & { readonly async?: unknown }): boolean =>
  schema.async === true || schema['~standard'].validate.constructor.name === 'AsyncFunction';
