import { describe } from '../describe.js';
import { ValidationError } from '../errors.js';
import type { WebhookEvent } from '../protocol/event.js';
import { checks } from './checks.js';

/** A message of a type this version does not know, as it came. */
export interface UnknownEvent {
  type: string;
  [field: string]: unknown;
}

export type ReadEvent = { known: true; event: WebhookEvent } | { known: false; event: UnknownEvent };

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The event in the bytes of a body.
 *
 * @throws ValidationError when the bytes are no JSON object with a `type`, or a field of a known type is wrong
 */
export function readEvent(body: Uint8Array): ReadEvent {
  const message = parse(body);
  if (!isObject(message)) throw new ValidationError('body', 'a JSON object', describe(message));
  if (!hasType(message)) throw new ValidationError('body.type', 'a non-empty string', describe(message['type']));
  const ofType = checks.get(message.type);
  if (ofType === undefined) return { known: false, event: message };
  for (const { field, holds, expected } of ofType) {
    const value = message[field];
    if (!holds(value)) throw new ValidationError(`${message.type}.${field}`, expected, describe(value));
  }
  // Every field the type names has been checked, which TypeScript cannot follow through the table.
  return { known: true, event: message as unknown as WebhookEvent };
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(body));
  } catch (cause) {
    throw new ValidationError('body', 'JSON in UTF-8', `${body.length} bytes that are not`, { cause });
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const hasType = (message: Record<string, unknown>): message is UnknownEvent =>
  typeof message['type'] === 'string' && message['type'] !== '';
