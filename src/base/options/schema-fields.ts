import * as z from 'zod/mini';

interface Meaning {
  readonly description?: string;
  readonly type?: 'integer';
  /** Set when another part fills the field in. */
  readonly default?: unknown;
  /** A separate rule checks this, because zod does not check the items of a list that is too long. */
  readonly maxItems?: number;
  /** A separate rule checks these, because one error names all that a list has to be. */
  readonly minItems?: number;
  readonly uniqueItems?: true;
}

/** The descriptions of the fields, for JSON Schemas and types, apart from zod's registry, which the whole process shares. */
export const meanings = z.registry<Meaning>();

export function required<T extends z.ZodMiniType>(schema: T, description: string, more?: Partial<Meaning>): T {
  meanings.add(schema, { description, ...more });
  return schema;
}

export const optional = <T extends z.ZodMiniType>(schema: T, description: string, more?: Partial<Meaning>) =>
  required(z.optional(schema), description, more);

export const withDefault = <T extends z.ZodMiniType>(schema: T, value: z.input<T>, description: string) =>
  required(z.prefault(schema, value), description);

export const text = (error: string, pattern: RegExp) => z.string({ error }).check(z.regex(pattern, { error }));
export const integer = (from: number, to = Number.MAX_SAFE_INTEGER) => {
  const error = to === Number.MAX_SAFE_INTEGER ? `an integer from ${from} up` : `an integer from ${from} to ${to}`;
  // `z.int` would stop the whole check at the first fractional number and hide the other mistakes.
  const whole = z.refine<number>(Number.isSafeInteger, { error });
  const schema = z.number({ error }).check(whole, z.gte(from, { error }), z.lte(to, { error }));
  meanings.add(schema, { type: 'integer' });
  return schema;
};
export const bound = () => integer(1);

export const flag = () => z.boolean({ error: 'true or false' });
export const oneOf = <const T extends readonly string[]>(names: T) =>
  z.enum(names, { error: `one of ${names.map((name) => `'${name}'`).join(', ')}` });
export const list = <T extends z.ZodMiniType>(item: T, least = 0) => {
  const error = least === 0 ? 'a list' : `a list of ${least} or more`;
  return z.array(item, { error }).check(z.minLength(least, { error }));
};
export const object = <T extends Record<string, z.ZodMiniType>>(shape: T) =>
  z.strictObject(shape, { error: 'an object' });
