import { ValidationError } from '../base/errors/errors.js';
import { isJsonObject } from '../base/text/decode.js';
import { describe } from '../base/text/describe.js';
import { eventFields, type NamedField } from '../protocol/event-fields.js';
import type { FieldKind } from '../protocol/field-table.js';
import { isTime } from '../protocol/timestamp.js';
import type { WebhookEvent } from '../protocol/webhook-event.js';

/** An event of a type that this version does not know, unchanged. */
export interface UnknownEvent {
  type: string;
  [field: string]: unknown;
}

export type ReadEvent = { known: true; event: WebhookEvent } | { known: false; event: UnknownEvent };

/** The words for what a body and its `type` must be. */
export const EXPECTED_BODY = 'a JSON object';
export const EXPECTED_TYPE = 'a non-empty string';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the event in a body.
 *
 * @throws ValidationError if the bytes are not a JSON object with a `type`, or if a field of a known type is wrong
 */
export function readEvent(body: Uint8Array): ReadEvent {
  const message = parse(body);
  if (!isJsonObject(message)) throw new ValidationError('body', EXPECTED_BODY, describe(message));
  if (!hasType(message)) throw new ValidationError('body.type', EXPECTED_TYPE, describe(message['type']));
  const ofType = eventChecks.get(message.type);
  if (ofType === undefined) return { known: false, event: message };
  for (const { field, holds, expected } of ofType) {
    const value = message[field];
    if (!holds(value)) throw new ValidationError(`${message.type}.${field}`, expected, describe(value));
  }
  // Every field of the type has been checked, but TypeScript cannot follow that through the table.
  return { known: true, event: message as unknown as WebhookEvent };
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(body));
  } catch (cause) {
    throw new ValidationError('body', 'JSON in UTF-8', `${body.length} bytes that are not`, { cause });
  }
}

const hasType = (message: Record<string, unknown>): message is UnknownEvent =>
  typeof message['type'] === 'string' && message['type'] !== '';

/**
 * The check of one field. It comes from the table and not from a zod schema: a receiver is often a small function that
 * starts on every call, and ten lines replace 20 kB and several milliseconds.
 */
interface Check {
  readonly field: string;
  holds(value: unknown): boolean;
  readonly expected: string;
}

const isString = (value: unknown): boolean => typeof value === 'string';

const required: Readonly<Record<FieldKind, Omit<Check, 'field'>>> = {
  text: { expected: 'a non-empty string', holds: (value) => isString(value) && value !== '' },
  time: { expected: 'an ISO 8601 time', holds: isTime },
  object: { expected: 'an object', holds: isJsonObject },
};

// The content of objects is not checked, although the types describe what the protocol allows there. Optional times are not
// checked either, because other senders pass them on as a client wrote them.
const optional: Readonly<Record<FieldKind, Omit<Check, 'field'>>> = {
  text: { expected: 'a string, or nothing', holds: (value) => isAbsent(value) || isString(value) },
  time: { expected: 'a string, or nothing', holds: (value) => isAbsent(value) || isString(value) },
  object: { expected: 'an object, or nothing', holds: (value) => isAbsent(value) || isJsonObject(value) },
};

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

const version: Check = { field: 'version', expected: '1', holds: (value) => value === 1 };

const checkOf = ({ name, kind, isRequired }: NamedField): Check => ({
  field: name,
  ...(isRequired ? required : optional)[kind],
});

/** The checks of each type, in the order in which they are made. */
export const eventChecks: ReadonlyMap<string, readonly Check[]> = new Map(
  [...eventFields].map(([type, fields]) => [type, [...(type === 'delete' ? [] : [version]), ...fields.map(checkOf)]]),
);
