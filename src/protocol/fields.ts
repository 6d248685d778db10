import * as z from 'zod/mini';
import { isRecord, isString, isText } from './is.js';

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

export const text = () => field<string>(isText, 'a non-empty string');

export const string = () => field<string>(isString, 'a string');

export const record = <T extends object>(): z.ZodMiniType<T, T> => field<T>(isRecord, 'a plain object');
