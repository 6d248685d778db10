export const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

export const isString = (value: unknown): boolean => typeof value === 'string';

/**
 * An object that JSON writes as an object. Refused with the rest: arrays, `Map`, `Date` and their like, which JSON would
 * write as something else or as nothing, and objects with a `toJSON`, which `unwrap` has replaced by what it returned.
 */
export const isRecord = (value: unknown): value is Record<string, unknown> => {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && (prototype === null ? isRawJson(value) : !isOrdinary(value))) return false;
  return typeof (value as { toJSON?: unknown }).toJSON !== 'function';
};

/** Recognises what `JSON.rawJSON` of newer runtimes makes, which JSON writes as anything but an object. */
export const isRawJson = (value: unknown): value is { rawJSON: string } =>
  (JSON as { isRawJSON?: (value: unknown) => boolean }).isRawJSON?.(value) ?? false;

const isOrdinary = (value: object): boolean => Object.prototype.toString.call(value) === '[object Object]';

/** An object that JSON.parse has made. */
export type JsonObject = Record<string, unknown>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
