import { ValidationError } from '../base/errors/errors.js';
import { isInstance } from '../base/errors/is-instance.js';
import { isDate, isStringObject } from '../base/platform/node.js';
import { describe } from '../base/text/describe.js';
import type { CommonFields, DraftFields, Mistake, SentFields } from './common.js';
import type { Context } from './context.js';
import { type Integrations, mergeIntegrations } from './integrations.js';
import type { Message } from './message.js';
import { otherInspections } from './message-checks.js';
import type { MessageType } from './message-type.js';
import { formatPath, valueAt } from './path.js';
import { isPlain, MAX_FIELDS, MAX_WRITTEN } from './plain.js';
import { copyPlain, TooMuchError } from './plain-copy.js';
import { expectedTimestamp, toIso } from './timestamp.js';

/** What a client or a child of it uses if the message does not say otherwise. */
export type MessageDefaults = Pick<CommonFields, 'userId' | 'anonymousId' | 'context' | 'integrations'> & {
  /** The `anonymousId` of messages that would otherwise identify nobody. The middleware creates one for each request. */
  visitorId?: string | null | undefined;
};

/** The checked defaults, in which every field is present or undefined. */
export type ResolvedMessageDefaults = Pick<SentFields, 'userId' | 'anonymousId' | 'context' | 'integrations'> & {
  readonly visitorId?: string | undefined;
};

/** Supplies the id and the time that a message lacks. */
export interface Stamp {
  /** Returns a new id that is unique forever. */
  messageId(): string;
  /** Returns the time of the call in UTC: ISO 8601 with milliseconds. */
  timestamp(): string;
}

/** Called with each field that the type does not know. */
export type OnUnknown = (type: MessageType, name: string) => void;

/**
 * Turns the caller's argument into the message that is sent: reads it once, checks it, adds id and time, and fills in defaults.
 * Objects of the caller are used without copying.
 *
 * @throws ValidationError when the message is wrong.
 */
export function normalize(
  type: MessageType,
  input: unknown,
  defaults: ResolvedMessageDefaults,
  stamp: Stamp,
  onUnknown?: OnUnknown,
): Message {
  const fields = read(type, input, onUnknown);
  fillIds(fields, defaults);
  let mistake = check(type, fields, stamp);
  if (mistake !== undefined && unwrap(fields)) mistake = check(type, fields, stamp);
  if (mistake !== undefined) throw errorOf(type.name, fields, mistake);
  // Empty ids are kept until here, so that an error can show what the caller gave.
  fields.userId ||= undefined;
  fields.anonymousId ||= undefined;
  fields.messageId ||= stamp.messageId();
  type.finish?.(fields);
  if (fields.context?.integrations !== undefined) liftIntegrations(fields, fields.context);
  if (defaults.context !== undefined) fields.context = { ...defaults.context, ...fields.context };
  if (defaults.integrations !== undefined) fields.integrations = merged(defaults.integrations, fields.integrations);
  return fields as Message;
}

function fillIds(fields: DraftFields, { userId, anonymousId, visitorId }: ResolvedMessageDefaults): void {
  if (userId !== undefined && isAbsent(fields.userId)) fields.userId = userId;
  if ((anonymousId === undefined && visitorId === undefined) || !isAbsent(fields.anonymousId)) return;
  fields.anonymousId = anonymousId ?? (isAbsent(fields.userId) ? visitorId : fields.anonymousId);
}

const isAbsent = (id: unknown): boolean => id == null || id === '';

function read(type: MessageType, input: unknown, onUnknown?: OnUnknown): DraftFields {
  // In a buffer or a `new String`, each item would be a field, and there may be a billion.
  if (typeof input !== 'object' || input === null || Array.isArray(input) || isIndexed(input)) {
    throw new ValidationError(type.name, 'an object', describe(input));
  }
  const fields = type.read(input);
  let unknown = 0;
  for (const key in input) {
    if (type.fields.has(key) || !Object.hasOwn(input, key)) continue;
    if (++unknown > MAX_FIELDS) throw new ValidationError(type.name, `at most ${MAX_FIELDS} fields`, 'more');
    if (key !== 'type') onUnknown?.(type, key);
    keepUnknown(type.name, fields, input, key);
  }
  const named = (input as { type?: unknown }).type;
  if (named !== undefined && named !== type.name) {
    throw new ValidationError(`${type.name}.type`, JSON.stringify(type.name), describe(named));
  }
  return fields;
}

/** Keeps a field that the type does not know, and sends it unchanged, because it belongs to the caller. */
function keepUnknown(root: string, fields: DraftFields, input: object, key: string): void {
  const value = (input as Record<string, unknown>)[key];
  const mistake = Object.hasOwn(otherInspections, key) ? otherInspections[key]?.(value) : undefined;
  if (mistake !== undefined) throw errorOf(root, { [key]: value }, { ...mistake, path: [key] });
  // JSON.stringify would call it.
  if (typeof value === 'function' && key === 'toJSON') return;
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  if (typeof value === 'string' && value.length > MAX_WRITTEN) throw tooLong(root, [key]);
  const kept = isObject ? asPlain(root, key, value) : value;
  // JSON omits functions.
  if (typeof kept === 'function') return;
  // Uses defineProperty, because assigning `__proto__` would change the prototype.
  Object.defineProperty(fields, key, { value: kept, enumerable: true, writable: true, configurable: true });
}

/** Makes the value of an unknown field plain, because `isPlainMessage` does not check it again. */
function asPlain(root: string, key: string, value: object): unknown {
  // In an object without a prototype, `__proto__` is an ordinary key.
  const holder: Record<string, unknown> = Object.create(null);
  holder[key] = value;
  try {
    return isPlain(holder) ? value : (copyPlain(root, holder) as typeof holder)[key];
  } catch (error) {
    if (!isInstance(error, TooMuchError)) throw error;
    throw tooLong(root, error.path);
  }
}

const tooLong = (root: string, path: readonly PropertyKey[]): ValidationError =>
  new ValidationError(formatPath(root, path), `at most ${MAX_WRITTEN} characters`, 'more');

/** Returns the first mistake in the fields. If there is none, the timestamp has the form that is sent. */
function check(type: MessageType, fields: DraftFields, stamp: Stamp): Mistake | undefined {
  const mistake = type.mistakeIn(fields);
  if (mistake !== undefined) return mistake;
  const timestamp = fields.timestamp == null ? stamp.timestamp() : toIso(fields.timestamp);
  if (timestamp === undefined) return { path: ['timestamp'], expected: expectedTimestamp(fields.timestamp) };
  fields.timestamp = timestamp;
  return undefined;
}

/**
 * Calls `toJSON` where JSON.stringify would call it later, so that its result is checked too: for example of a database document
 * given as traits, or a Moment object given as the timestamp. Tells whether any value had one.
 */
function unwrap(fields: DraftFields): boolean {
  let changed = false;
  for (const [key, value] of Object.entries(fields)) {
    if (typeof value !== 'object' || value === null || typeof value.toJSON !== 'function' || isDate(value)) continue;
    const json = value.toJSON(key);
    // An invalid time of Luxon or Moment becomes null. It must not count as absent, so the object stays and is refused.
    if (json == null && key === 'timestamp') continue;
    Object.assign(fields, { [key]: json ?? undefined });
    changed = true;
  }
  return changed;
}

/** Checks the length first, which costs far less than checking the kind. */
const isIndexed = (value: object): boolean => ArrayBuffer.isView(value) || ('length' in value && isStringObject(value));

const errorOf = (root: string, fields: object, { path, expected, received }: Mistake): ValidationError =>
  new ValidationError(formatPath(root, path), expected, received ?? describe(valueAt(fields, path)));

/** Returns a new object, because a `before` function may change it. The kinds of both were checked, or are checked later. */
const merged = (lower: unknown, upper: unknown): Integrations => ({
  ...(mergeIntegrations(lower, upper) as Integrations),
});

function liftIntegrations(fields: DraftFields, { integrations, ...context }: Context): void {
  if (integrations !== null) fields.integrations = merged(integrations, fields.integrations);
  fields.context = context;
}
