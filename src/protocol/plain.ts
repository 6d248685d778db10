import { MAX_DEPTH, MAX_MESSAGE_BYTES } from '../base/options/limits.js';
import { isBoxedPrimitive, isDate, isError, isTypedArray } from '../base/platform/node.js';

/**
 * The most characters that are written before it is known how many bytes they are: eight times what is sent, so that of a
 * message which is a little too large the error says exactly how large it is.
 */
export const MAX_WRITTEN = 256_000;

/** More do not fit into an object of a message: each takes at least `"":0,` of its JSON. */
export const MAX_FIELDS = Math.floor(MAX_MESSAGE_BYTES / 5);

/** Tells whether an object has more fields than fit, before something goes through all of them or copies them. */
export function hasTooMany(value: object): boolean {
  let fields = 0;
  for (const _ in value) if (++fields > MAX_FIELDS) return true;
  return false;
}

/**
 * Tells whether JSON.stringify can be handed a value without a second thought: objects and arrays within the bounds on size and
 * depth, no error, and nothing with a `toJSON` but dates. JSON.stringify itself knows no bounds: an array that is empty but for its
 * item 100,000,000 is written as half a gigabyte of `null`, and a typed array of that length ends the process.
 *
 * Runs at every call, so it may be wrong where that is quicker, but only in saying no: characters of strings count, and
 * one for any other value.
 *
 * @throws what getters and proxies in the value throw
 */
export const isPlain = (value: object, most: number = MAX_WRITTEN): boolean => roomLeft(value, 1, most) >= 0;

/**
 * The same for a message that was read from a call. Unknown fields and ids are not, because they were examined when they were
 * read.
 */
export function isPlainMessage(message: Owned): boolean {
  const { event, name, category, properties, traits, context, integrations } = message;
  let room = MAX_WRITTEN - lengthOf(event) - lengthOf(name) - lengthOf(category);
  // A field of another type may be null.
  if (properties != null) room = roomLeft(properties, 2, room);
  if (traits != null) room = roomLeft(traits, 2, room);
  if (context !== undefined) room = roomLeft(context, 2, room);
  if (integrations !== undefined) room = roomLeft(integrations, 2, room);
  return room >= 0;
}

const lengthOf = (text: unknown): number => (typeof text === 'string' ? text.length : 0);

/** The fields of a message that belong to the caller and may be of any size. */
interface Owned {
  readonly event?: unknown;
  readonly name?: unknown;
  readonly category?: unknown;
  readonly properties?: object | null | undefined;
  readonly traits?: object | null | undefined;
  readonly context?: object | undefined;
  readonly integrations?: object | undefined;
}

/** Returns the room that the value leaves, which is below 0 when it is not plain. */
function roomLeft(value: object, level: number, room: number): number {
  if (level > MAX_DEPTH || room < 0) return -1;
  if (Array.isArray(value)) return roomLeftByItems(value, level, room - value.length);
  // Quicker to ask for than the prototype. An object with a field of this name is treated as an instance, which is as right.
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

/** Returns the room that a field or an item leaves. */
function roomAfter(field: unknown, level: number, room: number): number {
  if (typeof field === 'string') return room - field.length;
  if (typeof field === 'object' && field !== null) return roomLeft(field, level + 1, room);
  return typeof field === 'function' && hasToJson(field) ? -1 : room;
}

/** JSON writes the fields of an instance itself, and nothing of what its class has. */
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

/** The first messages are all examined, later ones only now and then, because a program makes a mistake at every call. */
const ALL_EXAMINED = 1000;
const EXAMINED_EACH = 100;

/**
 * Tells whether to look in a message for what JSON could not write: for most messages their JSON shows at once that nothing is lacking.
 *
 * @param messages how many came before it
 */
export const mayLack = (json: Pick<string, 'includes'>, messages: number): boolean =>
  (messages < ALL_EXAMINED || messages % EXAMINED_EACH === 0) && (json.includes('{}') || json.includes('null'));

/** An object that JSON.parse has made. */
export type JsonObject = Record<string, unknown>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
