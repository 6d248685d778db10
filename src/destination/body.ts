import { ValidationError } from '../errors.js';
import { MAX_MESSAGE_ID_LENGTH } from '../limits.js';
import { describe } from '../messages/describe.js';
import { isText } from '../messages/fields.js';
import { messageTypes, type TypedMessage } from '../messages/message.js';
import { formatPath } from '../messages/path.js';
import { TooMuchError } from '../messages/plain-copy.js';
import { EXPECTED_TIMESTAMP, type Timestamp, toIso } from '../messages/timestamp.js';
import { writeJson } from '../messages/write-json.js';
import { isWellFormed } from './event-id.js';

/** A user asked to be forgotten. Endpoints get these three fields and nothing else. */
export interface DeleteNotification {
  type: 'delete';
  userId: string;
  timestamp: Timestamp;
  /** Tells it from others here; never sent. @default a random UUID */
  messageId?: string | undefined;
}

/** What a destination takes: a message as a collector has it, or the notification that a user is to be deleted. */
export type Deliverable = (TypedMessage & { messageId: string; timestamp: Timestamp }) | DeleteNotification;

export type DeliverableType = Deliverable['type'];

/** What endpoints are told the body's layout is. */
const BODY_VERSION = 1;

/**
 * The bytes that every endpoint gets, for ever: built once, then stored, signed and sent.
 *
 * @throws ValidationError when the message has no known type or no valid time, or is nothing that JSON can hold.
 */
export function buildBody(message: Deliverable): Uint8Array {
  const timestamp = toIso(message.timestamp);
  if (timestamp === undefined) throw wrong(message, 'timestamp', EXPECTED_TIMESTAMP);
  const content =
    message.type === 'delete'
      ? { type: message.type, userId: message.userId, timestamp }
      : { ...message, version: BODY_VERSION, timestamp };
  return Buffer.from(stringify(message.type, content));
}

/** @throws ValidationError when this is nothing a destination can deliver. */
export function checkDeliverable(message: Deliverable): void {
  if (typeof message !== 'object' || message === null) {
    throw new ValidationError('message', 'an object', describe(message));
  }
  if (message.type === 'delete') {
    if (!isText(message.userId)) throw wrong(message, 'userId', 'a non-empty string');
    if (message.messageId !== undefined) checkMessageId(message);
    return;
  }
  if (!Object.hasOwn(messageTypes, message.type)) {
    const expected = `one of ${Object.keys(messageTypes).join(', ')}, delete`;
    throw new ValidationError('message.type', expected, describe(message.type));
  }
  checkMessageId(message);
}

function checkMessageId(message: Deliverable): void {
  if (isMessageId(message.messageId)) return;
  throw wrong(message, 'messageId', `well-formed text of 1 to ${MAX_MESSAGE_ID_LENGTH} characters`);
}

// Half a surrogate pair has no UTF-8, so a store could not give such an id back.
const isMessageId = (id: unknown): boolean =>
  typeof id === 'string' && id !== '' && id.length <= MAX_MESSAGE_ID_LENGTH && isWellFormed(id);

/** As from a collector, nothing comes near this; it is there so that no message can take the process along. */
const MAX_CHARACTERS = 1_000_000;

function stringify(root: string, content: object): string {
  try {
    return writeJson(root, content, MAX_CHARACTERS);
  } catch (error) {
    if (!(error instanceof TooMuchError)) throw error;
    throw new ValidationError(formatPath(root, error.path), `at most ${MAX_CHARACTERS} characters`, 'more');
  }
}

function wrong(message: Deliverable, field: string, expected: string): ValidationError {
  const received = (message as unknown as Record<string, unknown>)[field];
  return new ValidationError(`${message.type}.${field}`, expected, describe(received));
}
