import * as z from 'zod/mini';

/** The zod fields of an interface: a field that is forgotten, or of another type, does not compile. */
export type Fields<T> = { [K in keyof T]-?: z.ZodMiniType<T[K]> };

/**
 * A field held by a predicate. The objects a caller owns are checked and never copied, and the same predicate serves the
 * guard on the path of a call and the schema that explains what was wrong.
 */
export const field = <T>(
  holds: (value: unknown) => boolean,
  expected: string | ((value: unknown) => string),
): z.ZodMiniType<T, T> =>
  z.custom<T>(holds, { error: typeof expected === 'string' ? expected : ({ input }) => expected(input), abort: true });

export const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

export const isString = (value: unknown): boolean => typeof value === 'string';

/**
 * An object that JSON writes as an object. Refused with the rest: arrays, `Map`, `Date` and their like, which JSON would
 * write as something else or as nothing, and objects with a `toJSON`, which `unwrap` has replaced by what it returned.
 */
export const isRecord = (value: unknown): value is Record<string, unknown> => {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null && !isOrdinary(value)) return false;
  return typeof (value as { toJSON?: unknown }).toJSON !== 'function';
};

const isOrdinary = (value: object): boolean => Object.prototype.toString.call(value) === '[object Object]';

export const text = field<string>(isText, 'a non-empty string');

export const string = field<string>(isString, 'a string');

export const record = <T extends object>(): z.ZodMiniType<T, T> => field<T>(isRecord, 'a plain object');
