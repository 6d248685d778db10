import { describe } from '../describe.js';
import { problemText } from '../errors.js';
import { MAX_DEPTH, MAX_MESSAGE_ID_LENGTH, MAX_TAKEN_MESSAGE_BYTES } from '../limits.js';
import { fieldProblem, isNamed } from '../protocol/canonical.js';
import { MESSAGE_TYPES } from '../protocol/event-fields.js';
import { parseTime } from '../protocol/timestamp.js';
import { measureMessage } from './message-size.js';
import type { JsonObject } from './received-message.js';

/** Why a message is not taken. */
export interface Problem {
  /** Stable; one for each thing that can be wrong. */
  readonly code: string;
  readonly message: string;
}

/** @param path `message` for the message as a whole */
export const problem = (code: string, path: string, expected: string, received: string): Problem => ({
  code,
  message: problemText(path, expected, received),
});

/**
 * What is wrong with a message, if anything. Held by what clients really send, not by what ours does: whatever has a canonical
 * form is taken.
 */
export function validateMessage(message: JsonObject): Problem | undefined {
  const wrong = examineFields(message);
  if (wrong !== undefined) return wrong;
  const weight = measureMessage(message);
  if (weight === 'fits') return undefined;
  if (weight === 'too deep') return problem('message_too_deep', 'message', `at most ${MAX_DEPTH} levels`, 'more');
  return tooLarge(MAX_TAKEN_MESSAGE_BYTES, weight.tooLarge);
}

export const tooLarge = (most: number, bytes: number, what = 'of JSON'): Problem =>
  problem('message_too_large', 'message', `at most ${most} bytes ${what}`, String(bytes));

function examineFields(message: JsonObject): Problem | undefined {
  const type = message['type'];
  if (typeof type !== 'string' || !MESSAGE_TYPES.includes(type)) {
    return problem('invalid_type', 'type', `one of ${MESSAGE_TYPES.join(', ')}`, describe(type));
  }
  return (
    examineMessageId(message['messageId']) ??
    examineCanonical(message) ??
    (type === 'alias' ? undefined : examineIdentity(message)) ??
    examineTime(message)
  );
}

function examineMessageId(id: unknown): Problem | undefined {
  if (id === undefined || id === null) return undefined;
  if (typeof id === 'string' && id.length <= MAX_MESSAGE_ID_LENGTH) return undefined;
  const expected = `a string of at most ${MAX_MESSAGE_ID_LENGTH} characters`;
  return problem('invalid_message_id', 'messageId', expected, describe(id));
}

function examineCanonical(message: JsonObject): Problem | undefined {
  const found = fieldProblem(message);
  if (found === undefined) return undefined;
  const { field, expected, isMissing } = found;
  const code = `${isMissing ? 'missing' : 'invalid'}_${inSnakeCase(field)}`;
  return problem(code, field, expected, describe(message[field]));
}

const inSnakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const examineIdentity = ({ userId, anonymousId }: JsonObject): Problem | undefined =>
  isNamed(userId) || isNamed(anonymousId)
    ? undefined
    : problem('missing_user_id', 'userId', 'a non-empty string, or an anonymousId', describe(userId));

function examineTime(message: JsonObject): Problem | undefined {
  const time = message['timestamp'] ?? message['originalTimestamp'];
  if (time === undefined || time === null || !Number.isNaN(parseTime(time))) return undefined;
  const expected = 'an ISO 8601 time or milliseconds since 1970';
  return problem('invalid_timestamp', 'timestamp', expected, describe(time));
}
