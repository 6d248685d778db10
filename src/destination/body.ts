import { ValidationError } from '../errors.js';
import { MAX_EVENT_BYTES } from '../limits.js';
import { explainUnreadable } from '../protocol/write-json.js';
import type { CanonicalEvent } from './canonical-event.js';

/** What endpoints are told the body's layout is. */
const BODY_VERSION = 1;

/**
 * The bytes that every endpoint gets, for ever: built once, then stored, signed and sent.
 *
 * @throws ValidationError when something in it is nothing that JSON can hold, or they are more than receivers take.
 */
export function buildBody(event: CanonicalEvent): Uint8Array {
  const { type, userId, timestamp } = event;
  const content = type === 'delete' ? { type, userId, timestamp } : { ...event, version: BODY_VERSION };
  const body = Buffer.from(stringify(type, content));
  if (body.length <= MAX_EVENT_BYTES) return body;
  throw new ValidationError(type, `at most ${MAX_EVENT_BYTES} bytes of JSON`, `${body.length}`);
}

function stringify(type: string, content: object): string {
  try {
    return JSON.stringify(content);
  } catch (error) {
    throw explainUnreadable(type, content, error);
  }
}
