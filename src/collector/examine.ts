import { MAX_DEPTH, MAX_MESSAGE_ID_LENGTH } from '../limits.js';
import { fieldProblem, isNamed } from '../protocol/canonical.js';
import { describe } from '../protocol/describe.js';
import { MESSAGE_TYPES } from '../protocol/event-fields.js';
import { parseTime } from '../protocol/timestamp.js';
import { MAX_MESSAGE_BYTES } from './limits.js';
import type { JsonObject } from './received-message.js';
import { weigh } from './weigh.js';

/** Why a message is not taken. */
export interface Problem {
  /** Stable; one for each thing that can be wrong. */
  readonly code: string;
  readonly message: string;
}

const problem = (code: string, message: string): Problem => ({ code, message });

/**
 * What is wrong with a message, if anything. Held by what clients really send, not by what ours does: whatever has a canonical
 * form is taken.
 */
export function examine(message: JsonObject): Problem | undefined {
  const wrong = examineFields(message);
  if (wrong !== undefined) return wrong;
  const weight = weigh(message);
  if (weight === 'fits') return undefined;
  if (weight === 'too deep') return problem('message_too_deep', `The message has more than ${MAX_DEPTH} levels`);
  return problem('message_too_large', `The message is ${weight.tooLarge} bytes; the limit is ${MAX_MESSAGE_BYTES}`);
}

function examineFields(message: JsonObject): Problem | undefined {
  const type = message['type'];
  if (typeof type !== 'string' || !MESSAGE_TYPES.includes(type)) {
    return problem('invalid_type', `type: expected one of ${MESSAGE_TYPES.join(', ')}, got ${describe(type)}`);
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
  return problem(
    'invalid_message_id',
    `messageId: expected a string of at most ${MAX_MESSAGE_ID_LENGTH} characters, got ${describe(id)}`,
  );
}

function examineCanonical(message: JsonObject): Problem | undefined {
  const found = fieldProblem(message);
  if (found === undefined) return undefined;
  const { field, expected, isMissing } = found;
  const code = `${isMissing ? 'missing' : 'invalid'}_${inSnakeCase(field)}`;
  return problem(code, `${field}: expected ${expected}, got ${describe(message[field])}`);
}

const inSnakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const examineIdentity = ({ userId, anonymousId }: JsonObject): Problem | undefined =>
  isNamed(userId) || isNamed(anonymousId)
    ? undefined
    : problem('missing_user_id', `userId: expected a non-empty string, or an anonymousId, got ${describe(userId)}`);

function examineTime(message: JsonObject): Problem | undefined {
  const time = message['timestamp'] ?? message['originalTimestamp'];
  if (time === undefined || time === null || !Number.isNaN(parseTime(time))) return undefined;
  return problem(
    'invalid_timestamp',
    `timestamp: expected an ISO 8601 time or milliseconds since 1970, got ${describe(time)}`,
  );
}
