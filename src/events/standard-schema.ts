import { OptionError } from '../base/errors/errors.js';
import { describe } from '../base/text/describe.js';

/**
 * A schema of any library that follows Standard Schema, version 1 (https://standardschema.dev): zod, valibot, arktype and others.
 * As much of it as is used.
 */
export interface StandardSchema<Input = unknown> {
  readonly '~standard': Standard<Input>;
}

export interface Standard<Input = unknown> {
  readonly version: 1;
  readonly vendor: string;
  readonly validate: (value: unknown) => unknown;
  /** The types alone; absent at run time. */
  readonly types?: { readonly input: Input; readonly output: unknown } | undefined;
}

/** What a schema answers about a value. */
export interface SchemaResult {
  /** Absent when the value is right. */
  readonly issues?: readonly SchemaIssue[] | undefined;
}

export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The type that a schema takes, by its `~standard`. */
export type InputOf<S> = S extends { readonly types?: infer Types }
  ? NonNullable<Types>['input' & keyof NonNullable<Types>]
  : unknown;

/** Arktype's are functions. */
const isObject = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';

export const isStandardSchema = (value: unknown): value is StandardSchema => isObject(value) && '~standard' in value;

/**
 * What checks by a schema.
 *
 * @param option where the schema stands, for the error
 * @throws OptionError for what is no schema, and for an asynchronous one where it says so
 */
export function standardOf(schema: unknown, option: string): Standard {
  if (!isStandardSchema(schema) || typeof schema['~standard']?.validate !== 'function') {
    const hint = 'zod from 3.24, valibot from 1.0 and arktype from 2.0 make them';
    throw new OptionError('client', option, 'a Standard Schema', describe(schema), hint);
  }
  const standard = schema['~standard'];
  if (isAsync(schema)) {
    const hint = 'A call does not wait: check what needs a promise before the call';
    throw new OptionError('client', option, 'a synchronous schema', 'an asynchronous one', hint);
  }
  return standard;
}

/** Valibot's say it, and an `async` function shows it. Of others it is known when one first answers with a promise. */
const isAsync = (schema: StandardSchema & { readonly async?: unknown }): boolean =>
  schema.async === true || schema['~standard'].validate.constructor.name === 'AsyncFunction';
