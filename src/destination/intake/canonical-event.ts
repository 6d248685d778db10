import { ValidationError } from '../../base/errors/errors.js';
import { MAX_MESSAGE_ID_LENGTH } from '../../base/options/limits.js';
import { describe } from '../../base/text/describe.js';
import { type AnyMessage, canonicalize, canonicalTime } from '../../protocol/canonical.js';
import { EVENT_TYPES, type EventType, isEventType, stampedFields } from '../../protocol/field-table.js';
import { type Integrations, liftIntegrations } from '../../protocol/integrations.js';
import { formatPath } from '../../protocol/path.js';
import { isPlain, MAX_WRITTEN } from '../../protocol/plain.js';
import { copyPlain, TooMuchError } from '../../protocol/plain-copy.js';
import { expectedTimestamp, toIso } from '../../protocol/timestamp.js';
import { explainUnreadable } from '../../protocol/write-json.js';

/** A message in the canonical form, which every receiver accepts: an object that we created and that JSON can hold. */
export interface CanonicalEvent {
  type: EventType;
  messageId?: string | undefined;
  timestamp: string;
  integrations?: Integrations | null | undefined;
  userId?: unknown;
  anonymousId?: unknown;
  [field: string]: unknown;
}

/**
 * Converts a message to the canonical form. The caller's object is read and not changed.
 *
 * @throws ValidationError when that is impossible: the type is unknown, a required field is missing, or a field is wrong.
 */
export function canonicalEvent(message: unknown): CanonicalEvent {
  const event = readOnce(message);
  const { type } = event;
  if (!isEventType(type)) throw new ValidationError('message.type', `one of ${EVENT_TYPES.join(', ')}`, describe(type));
  if (event['messageId'] !== undefined || type !== 'delete') checkMessageId(type, event['messageId']);
  liftIntegrations(event);
  const problem = canonicalize(event);
  if (problem !== undefined) throw wrong(type, problem.field, problem.expected, event[problem.field]);
  const timestamp = toIso(event['timestamp']);
  if (timestamp === undefined) {
    throw wrong(type, 'timestamp', expectedTimestamp(event['timestamp']), event['timestamp']);
  }
  for (const name in stampedFields) if (name in event) event[name] = canonicalTime(event[name]);
  return Object.assign(event, { type, timestamp });
}

/** Reads each field of the message once, into an object that JSON.stringify accepts. */
function readOnce(message: unknown): AnyMessage {
  if (typeof message !== 'object' || message === null || Array.isArray(message) || ArrayBuffer.isView(message)) {
    throw new ValidationError('message', 'an object', describe(message));
  }
  let root = 'message';
  try {
    const { toJSON } = message as { toJSON?: unknown };
    const event = { ...(typeof toJSON === 'function' ? toJSON.call(message, '') : message) };
    if (isEventType(event.type)) root = event.type;
    return isPlain(event) ? event : (copyPlain(root, event) as AnyMessage);
  } catch (error) {
    if (!(error instanceof TooMuchError)) throw explainUnreadable(root, message, error);
    throw new ValidationError(formatPath(root, error.path), `at most ${MAX_WRITTEN} characters`, 'more');
  }
}

function checkMessageId(type: string, id: unknown): void {
  if (typeof id === 'string' && id !== '' && id.length <= MAX_MESSAGE_ID_LENGTH) return;
  throw wrong(type, 'messageId', `a string of 1 to ${MAX_MESSAGE_ID_LENGTH} characters`, id);
}

const wrong = (type: string, field: string, expected: string, received: unknown): ValidationError =>
  new ValidationError(`${type}.${field}`, expected, describe(received));
