import { MAX_DEPTH, MAX_MESSAGE_BYTES } from '../base/options/limits.js';
import { isBoxedPrimitive, isDate, isError, isTypedArray } from '../base/platform/node.js';

/**
 * The most characters that are written before their number of bytes is known. It is eight times the limit of a message, so that
 * the error for a slightly too large message can give its exact size.
 */
export const MAX_WRITTEN = 256_000;

/** The most fields that an object in a message can have, because each takes at least `"":0,` in JSON. */
export const MAX_FIELDS = Math.floor(MAX_MESSAGE_BYTES / 5);

/** Tells whether an object has more fields than fit, before all of them are read or copied. */
export function hasTooMany(value: object): boolean {
  let fields = 0;
  for (const _ in value) if (++fields > MAX_FIELDS) return true;
  return false;
}

/**
 * Tells whether a value can safely be passed to JSON.stringify: objects and arrays within the limits on size and depth, no
 * errors, and nothing with a `toJSON` except dates. JSON.stringify itself has no limits: an array that is empty except for item
 * 100,000,000 is written as half a gigabyte of `null`, and a typed array of that length ends the process.
 *
 * It runs at every call, so to be fast it may return false for a value that is plain. A string counts by its characters, any
 * other value as one.
 *
 * @throws what getters and proxies in the value throw
 */
export const isPlain = (value: object, most: number = MAX_WRITTEN): boolean => roomLeft(value, 1, most) >= 0;

/** Applies `isPlain` to a message, without its ids and unknown fields, which were checked when they were read. */
export function isPlainMessage(message: Owned): boolean {
  const { event, name, category, properties, traits, context, integrations } = message;
  let room = MAX_WRITTEN - lengthOf(event) - lengthOf(name) - lengthOf(category);
  // A field that only other types have may be null.
  if (properties != null) room = roomLeft(properties, 2, room);
  if (traits != null) room = roomLeft(traits, 2, room);
  if (context !== undefined) room = roomLeft(context, 2, room);
  if (integrations !== undefined) room = roomLeft(integrations, 2, room);
  return room >= 0;
}

const lengthOf = (text: unknown): number => (typeof text === 'string' ? text.length : 0);

/** The fields of a message that belong to the caller and may have any size. */
interface Owned {
  readonly event?: unknown;
  readonly name?: unknown;
  readonly category?: unknown;
  readonly properties?: object | null | undefined;
  readonly traits?: object | null | undefined;
  readonly context?: object | undefined;
  readonly integrations?: object | undefined;
}

/** Returns the room that is left after the value, which is negative if the value is not plain. */
function roomLeft(value: object, level: number, room: number): number {
  if (level > MAX_DEPTH || room < 0) return -1;
  if (Array.isArray(value)) return roomLeftByItems(value, level, room - value.length);
  // Reading this is faster than asking for the prototype. An object with its own field `constructor` is treated as an instance,
  // with the same result.
  if (value.constructor !== Object) return roomLeftByInstance(value, level, room);
  let left = room;
  for (const key in value) {
    const field = (value as Record<string, unknown>)[key];
    left = roomAfter(field, level, left - 1);
    if (left < 0 || (key === 'toJSON' && typeof field === 'function')) return -1;
  }
  return left;
}

function roomLeftByItems(items: readonly unknown[], level: number, room: number): number {
  let left = room;
  for (let index = 0; index < items.length && left >= 0; index++) {
    left = roomAfter(items[index], level, left);
  }
  return left;
}

/** Returns the room that is left after a field or an item. */
function roomAfter(field: unknown, level: number, room: number): number {
  if (typeof field === 'string') return room - field.length;
  if (typeof field === 'object' && field !== null) return roomLeft(field, level + 1, room);
  return typeof field === 'function' && hasToJson(field) ? -1 : room;
}

/** JSON writes an instance's own fields, and nothing of its class. */
function roomLeftByInstance(value: object, level: number, room: number): number {
  const { toJSON } = value as { toJSON?: unknown };
  if (toJSON === Date.prototype.toJSON && isDate(value)) return room;
  if (typeof toJSON === 'function' || isTypedArray(value) || isBoxedPrimitive(value) || isError(value)) return -1;
  let left = room;
  for (const key of Object.keys(value)) {
    left = roomAfter((value as Record<string, unknown>)[key], level, left - 1);
    if (left < 0) return -1;
  }
  return left;
}

const hasToJson = (value: object): boolean => typeof (value as { toJSON?: unknown }).toJSON === 'function';

/**
 * Tells whether JSON writes the value as an object. Arrays, `Map`, `Date` and the like are refused, because JSON would write them
 * as something else or as nothing. Objects with a `toJSON` are refused too; `unwrap` has already replaced them by the result.
 */
export const isRecord = (value: unknown): value is Record<string, unknown> => {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && (prototype === null ? isRawJson(value) : !isOrdinary(value))) return false;
  return typeof (value as { toJSON?: unknown }).toJSON !== 'function';
};

/** Recognises the result of `JSON.rawJSON` in newer runtimes, which JSON never writes as an object. */
export const isRawJson = (value: unknown): value is { rawJSON: string } =>
  (JSON as { isRawJSON?: (value: unknown) => boolean }).isRawJSON?.(value) ?? false;

const isOrdinary = (value: object): boolean => Object.prototype.toString.call(value) === '[object Object]';

/** How many first messages are all examined. Later ones rarely are, because a program repeats its mistakes at every call. */
const ALL_EXAMINED = 1000;
const EXAMINED_EACH = 100;

/**
 * Tells whether to search a message for values that JSON could not write. For most messages, their JSON shows immediately that
 * nothing is missing.
 *
 * @param messages how many messages came before this one
 */
export const mayLack = (json: Pick<string, 'includes'>, messages: number): boolean =>
  (messages < ALL_EXAMINED || messages % EXAMINED_EACH === 0) && (json.includes('{}') || json.includes('null'));

/** An object that JSON.parse has created. */
export type JsonObject = Record<string, unknown>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
