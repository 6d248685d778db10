import { MAX_DEPTH, MAX_MESSAGE_ID_LENGTH } from '../limits.js';
import { describe } from '../messages/describe.js';
import type { MessageTypeName } from '../messages/message.js';
import { MAX_MESSAGE_BYTES } from './limits.js';
import type { JsonObject } from './received-message.js';
import { parseTime } from './timestamp.js';
import { weigh } from './weigh.js';

/** Why a message is not taken. */
export interface Problem {
  /** Stable; one for each thing that can be wrong. */
  readonly code: string;
  readonly message: string;
}

const problem = (code: string, message: string): Problem => ({ code, message });

/**
 * What is wrong with a message, if anything. Held by what clients really send, not by what ours does: ids may be numbers,
 * whatever is optional may be `null`, and an empty list stands for an empty object, which is what PHP makes of one.
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
  const examineType = typeof message['type'] === 'string' ? byType.get(message['type']) : undefined;
  if (examineType === undefined) {
    return problem(
      'invalid_type',
      `type: expected one of ${[...byType.keys()].join(', ')}, got ${describe(message['type'])}`,
    );
  }
  return (
    examineMessageId(message['messageId']) ?? examineType(message) ?? examineObjects(message) ?? examineTime(message)
  );
}

const isId = (value: unknown): boolean => (typeof value === 'string' && value !== '') || typeof value === 'number';

function examineMessageId(id: unknown): Problem | undefined {
  if (id === undefined || id === null) return undefined;
  if (typeof id === 'string' && id.length <= MAX_MESSAGE_ID_LENGTH) return undefined;
  return problem(
    'invalid_message_id',
    `messageId: expected a string of at most ${MAX_MESSAGE_ID_LENGTH} characters, got ${describe(id)}`,
  );
}

const identified = (message: JsonObject): Problem | undefined =>
  isId(message['userId']) || isId(message['anonymousId'])
    ? undefined
    : problem('missing_user_id', `userId: expected an id, or an anonymousId, got ${describe(message['userId'])}`);

const requireId = (message: JsonObject, field: string, code: string): Problem | undefined =>
  isId(message[field]) ? undefined : problem(code, `${field}: expected an id, got ${describe(message[field])}`);

const examineTrack = (message: JsonObject): Problem | undefined =>
  typeof message['event'] === 'string' && message['event'] !== ''
    ? identified(message)
    : problem('missing_event', `event: expected a non-empty string, got ${describe(message['event'])}`);

const byType = new Map<string, (message: JsonObject) => Problem | undefined>(
  Object.entries({
    identify: identified,
    track: examineTrack,
    page: identified,
    screen: identified,
    group: (message) => requireId(message, 'groupId', 'missing_group_id') ?? identified(message),
    alias: (message) =>
      requireId(message, 'previousId', 'missing_previous_id') ?? requireId(message, 'userId', 'missing_user_id'),
  } satisfies Record<MessageTypeName, (message: JsonObject) => Problem | undefined>),
);

const OBJECTS = ['properties', 'traits', 'context', 'integrations'] as const;

function examineObjects(message: JsonObject): Problem | undefined {
  for (const field of OBJECTS) {
    const value = message[field];
    if (value === undefined || isObjectOrNothing(value)) continue;
    return problem(`invalid_${field}`, `${field}: expected an object, got ${describe(value)}`);
  }
  return undefined;
}

const isObjectOrNothing = (value: unknown): boolean =>
  typeof value === 'object' && (!Array.isArray(value) || value.length === 0);

function examineTime(message: JsonObject): Problem | undefined {
  const time = message['timestamp'] ?? message['originalTimestamp'];
  if (time === undefined || time === null || !Number.isNaN(parseTime(time))) return undefined;
  return problem(
    'invalid_timestamp',
    `timestamp: expected an ISO 8601 time or milliseconds since 1970, got ${describe(time)}`,
  );
}
