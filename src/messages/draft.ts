import { types } from 'node:util';
import { ValidationError } from '../errors.js';
import type { CommonFields, WireFields } from './common.js';
import type { Context } from './context.js';
import { describe } from './describe.js';
import type { Message } from './message.js';
import type { MessageType } from './message-type.js';
import { formatPath } from './path.js';
import { toIso } from './timestamp.js';

/** What a client, or a child of one, fills in where the message says nothing. */
export type Defaults = Pick<CommonFields, 'userId' | 'anonymousId' | 'context' | 'integrations'>;

/** What a message lacks and only the moment of the call can give. */
export interface Stamp {
  /** A new id, unique for ever. */
  messageId(): string;
  /** The time of the call: UTC, ISO 8601, milliseconds. */
  timestamp(): string;
}

/**
 * Makes what the caller passed into the message that is sent: read once, checked, stamped, defaults filled in. The objects
 * the caller owns are put into it as they are.
 *
 * @throws ValidationError when the message is wrong.
 */
export function draft(type: MessageType, input: unknown, defaults: Defaults, stamp: Stamp): Message {
  const fields = read(type, input);
  if (fields.userId === undefined) fields.userId = defaults.userId;
  if (fields.anonymousId === undefined) fields.anonymousId = defaults.anonymousId;
  if (!accept(type, fields, stamp) && !(unwrap(fields) && accept(type, fields, stamp))) throw explain(type, fields);
  fields.messageId ??= stamp.messageId();
  type.finish?.(fields);
  if (fields.context?.integrations !== undefined) liftIntegrations(fields, fields.context);
  if (defaults.context !== undefined) fields.context = { ...defaults.context, ...fields.context };
  if (defaults.integrations !== undefined) fields.integrations = { ...defaults.integrations, ...fields.integrations };
  return fields as Message;
}

function read(type: MessageType, input: unknown): WireFields {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new ValidationError(type.name, 'an object', describe(input));
  }
  const fields = type.read(input);
  for (const key in input) {
    if (!Object.hasOwn(fields, key)) keepUnknown(fields, input, key);
  }
  const named = (input as { type?: unknown }).type;
  if (named !== undefined && named !== type.name) {
    throw new ValidationError(`${type.name}.type`, JSON.stringify(type.name), describe(named));
  }
  return fields;
}

/** A field we have no name for is the caller's business and goes out unchanged. */
function keepUnknown(fields: WireFields, input: object, key: string): void {
  if (!Object.hasOwn(input, key)) return;
  const value = (input as Record<string, unknown>)[key];
  // JSON leaves functions out; one named toJSON would even be called.
  if (typeof value === 'function') return;
  // Defined, not assigned: assigning `__proto__` would change the prototype.
  Object.defineProperty(fields, key, { value, enumerable: true, writable: true, configurable: true });
}

/** Whether the fields are right. If they are, the timestamp is now as the wire has it. */
function accept(type: MessageType, fields: WireFields, stamp: Stamp): boolean {
  if (!type.holds(fields)) return false;
  const timestamp = fields.timestamp === undefined ? stamp.timestamp() : toIso(fields.timestamp);
  if (timestamp === undefined) return false;
  fields.timestamp = timestamp;
  return true;
}

/**
 * Asks now what JSON would ask later, so that the answer is checked too: a database document given as traits, a moment
 * given as the timestamp. Says whether there was anything to ask.
 */
function unwrap(fields: WireFields): boolean {
  let changed = false;
  for (const [key, value] of Object.entries(fields)) {
    if (typeof value !== 'object' || value === null || typeof value.toJSON !== 'function' || types.isDate(value))
      continue;
    Object.assign(fields, { [key]: value.toJSON(key) });
    changed = true;
  }
  return changed;
}

function explain(type: MessageType, fields: WireFields): ValidationError {
  const issue = type.schema.safeParse(fields).error?.issues[0];
  if (issue === undefined) return new ValidationError(type.name, 'a valid message', 'one that is not');
  const received = issue.path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown>)[key], fields);
  return new ValidationError(formatPath(type.name, issue.path), issue.message, describe(received));
}

function liftIntegrations(fields: WireFields, { integrations, ...context }: Context): void {
  fields.integrations = { ...integrations, ...fields.integrations };
  fields.context = context;
}
