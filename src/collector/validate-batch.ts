import { problemText } from '../base/errors/errors.js';
import { MAX_DEPTH, MAX_EVENT_BYTES, MAX_MESSAGE_ID_LENGTH, MAX_TAKEN_MESSAGE_BYTES } from '../base/options/limits.js';
import { describe } from '../base/text/describe.js';
import { NO_FRACTIONS_FROM } from '../base/text/json-loss.js';
import { fieldProblem, isNamed } from '../protocol/canonical.js';
import { MESSAGE_TYPES } from '../protocol/field-table.js';
import { liftIntegrations, mergeIntegrations } from '../protocol/integrations.js';
import { isJsonObject, type JsonObject } from '../protocol/plain.js';
import { userIdTextProblem } from '../protocol/user-id.js';
import { type BatchLevel, enrich, type Reading, readMessage } from './enrich.js';
import type { ReceivedMessage } from './received-message.js';

/** A message that is not taken. */
export interface Rejected extends Problem {
  readonly index: number;
  readonly messageId: string | undefined;
  /** The message, as it was sent. */
  readonly item: unknown;
}

/**
 * Parts the messages of a batch into those that are taken, complete, and those that are not.
 *
 * @param exact reads a message again, with Infinity for each number that JSON.parse has changed
 */
export function validateBatch(
  items: readonly unknown[],
  batch: BatchLevel,
  exact: (index: number) => unknown = (index) => items[index],
) {
  const messages: ReceivedMessage[] = [];
  const rejected: Rejected[] = [];
  const bytesTooMany = weigherWith(batch);
  for (const [index, item] of items.entries()) {
    if (!isJsonObject(item)) {
      rejected.push({
        ...problem('not_an_object', 'message', 'an object', describe(item)),
        index,
        messageId: undefined,
        item,
      });
      continue;
    }
    takeWriteKey(item);
    liftIntegrations(item);
    const reading = readMessage(item);
    const wrong = validateMessage(item, reading, () => exact(index)) ?? tooLargeTogether(bytesTooMany(item));
    if (wrong === undefined) messages.push(enrich(item, batch, reading));
    else rejected.push({ ...wrong, index, messageId: idOf(item['messageId']), item });
  }
  return { messages, rejected };
}

/** The key is the sender's credential and no part of the message, so it is not handed on with it. */
export function takeWriteKey(body: JsonObject): string | undefined {
  const writeKey = body['writeKey'];
  if (writeKey === undefined) return undefined;
  delete body['writeKey'];
  return typeof writeKey === 'string' ? writeKey : undefined;
}

const tooLargeTogether = (bytes: number | undefined): Problem | undefined =>
  bytes === undefined ? undefined : tooLarge(MAX_EVENT_BYTES, bytes, 'with the context and integrations of its batch');

const idOf = (messageId: unknown): string | undefined => (typeof messageId === 'string' ? messageId : undefined);

/** Writes the refused value as JSON, for a developer to look at. */
export function rawOf(item: unknown): string {
  try {
    return JSON.stringify(item);
  } catch {
    // It is too deep, which is why it was rejected.
    return '';
  }
}

/** The reason why a message is not taken. */
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
 * Says what is wrong with a message, if anything. It goes by what clients really send, not by what ours does: whatever has a canonical
 * form is taken.
 */
export function validateMessage(
  message: JsonObject,
  reading = readMessage(message),
  exact: () => unknown = () => message,
): Problem | undefined {
  const weight = measureMessage(message, exact);
  // This comes first: where `JSON.parse` has rounded a number, another error would name a value that the sender did not write.
  if (weight === 'no number') return wrongNumber('message');
  const wrong = examineFields(message, reading);
  if (wrong !== undefined || weight === 'fits') return wrong;
  if (weight === 'too deep') return problem('message_too_deep', 'message', `at most ${MAX_DEPTH} levels`, 'more');
  return tooLarge(MAX_TAKEN_MESSAGE_BYTES, weight.tooLarge);
}

export const wrongNumber = (path: string): Problem =>
  problem('invalid_number', path, 'numbers that JavaScript does not round, and larger ones in quotes', 'a larger one');

export const tooLarge = (most: number, bytes: number, what = 'of JSON'): Problem =>
  problem('message_too_large', 'message', `at most ${most} bytes ${what}`, String(bytes));

function examineFields(message: JsonObject, { originalMs, isCanonical }: Reading): Problem | undefined {
  const type = message['type'];
  if (!MESSAGE_TYPES.some((name) => name === type)) {
    return problem('invalid_type', 'type', `one of ${MESSAGE_TYPES.join(', ')}`, describe(type));
  }
  return (
    examineMessageId(message['messageId']) ??
    examineCanonical(message, isCanonical) ??
    (type === 'alias' ? undefined : examineIdentity(message)) ??
    examineUser('userId', message) ??
    examineUser('anonymousId', message) ??
    // A message of another type may have anything in this field.
    (type === 'alias' ? examineUser('previousId', message) : undefined) ??
    examineTime(message, originalMs)
  );
}

function examineMessageId(id: unknown): Problem | undefined {
  if (id === undefined || id === null) return undefined;
  if (typeof id === 'string' && id.length <= MAX_MESSAGE_ID_LENGTH) return undefined;
  const expected = `a string of at most ${MAX_MESSAGE_ID_LENGTH} characters`;
  return problem('invalid_message_id', 'messageId', expected, describe(id));
}

function examineCanonical(message: JsonObject, isCanonical: boolean): Problem | undefined {
  const found = fieldProblem(message, isCanonical);
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

/** Refuses an id that no deletion could name. */
function examineUser(field: 'userId' | 'anonymousId' | 'previousId', message: JsonObject): Problem | undefined {
  const id = message[field];
  if (typeof id !== 'string') return undefined;
  const wrong = userIdTextProblem(id);
  return wrong && problem(`invalid_${inSnakeCase(field)}`, field, wrong.expected, wrong.received);
}

function examineTime(message: JsonObject, originalMs: number | undefined): Problem | undefined {
  if (originalMs === undefined || !Number.isNaN(originalMs)) return undefined;
  const field = message['timestamp'] == null ? 'originalTimestamp' : 'timestamp';
  const expected = 'an ISO 8601 time or milliseconds since 1970';
  return problem('invalid_timestamp', field, expected, describe(message[field]));
}

// The most bytes JSON makes of one UTF-16 code unit (`\u0000`), and of a number (`-1.7976931348623157e+308`).
const PER_CODE_UNIT = 6;
const PER_NUMBER = 24;
/** The weight of a number that JSON.parse may have changed: more than any message, so that it is looked at. */
const PER_LARGE_NUMBER = 2 ** 40;

export type MessageSize = 'fits' | 'too deep' | 'no number' | { readonly tooLarge: number };

/**
 * Tells whether a message keeps the bounds on size and depth. Size is that of its compact JSON in UTF-8, so white space between
 * the fields costs nothing. Writing that JSON costs as much as reading it did, so only a message that could be too large
 * by the most pessimistic count is written. A number that is too large for JavaScript, 1e400, would be written as `null`, and
 * 9007199254740993 as another number.
 *
 * @param exact reads the message again, with Infinity for each number that JSON.parse has changed
 */
export function measureMessage(message: JsonObject, exact: () => unknown = () => message): MessageSize {
  const most = mostBytes(message, 1);
  if (most <= MAX_TAKEN_MESSAGE_BYTES) return 'fits';
  if (most === Number.POSITIVE_INFINITY) return 'too deep';
  if (Number.isNaN(most >= PER_LARGE_NUMBER ? mostBytesOf(exact(), 0) : most)) return 'no number';
  const bytes = Buffer.byteLength(JSON.stringify(message));
  return bytes <= MAX_TAKEN_MESSAGE_BYTES ? 'fits' : { tooLarge: bytes };
}

/** The fields of a batch for all of its messages. */
interface Shared {
  readonly context: JsonObject | undefined;
  readonly integrations: JsonObject | undefined;
}

/** More than a message grows by where its ids become text and its times are written, and where a destination adds a version. */
const COMPLETION_BYTES = 512;

/** The room that is left in an event, however large its message is, for the context and integrations of its batch. */
const ROOM = MAX_EVENT_BYTES - MAX_TAKEN_MESSAGE_BYTES - COMPLETION_BYTES;

/** The bytes that each message of a batch gets from it, at the most. */
export const sharedBytes = ({ context, integrations }: Shared): number =>
  context === undefined && integrations === undefined
    ? 0
    : Buffer.byteLength(JSON.stringify({ context, integrations }));

/**
 * Returns a function that weighs a message with the context and integrations of its batch, and returns its bytes if they are too many.
 * Writes only a message that could be too large beside these.
 */
export function weigherWith({ context, integrations }: Shared): (message: JsonObject) => number | undefined {
  const shared = sharedBytes({ context, integrations });
  if (shared <= ROOM) return () => undefined;
  return (message) => {
    if (mostBytes(message, 0) + shared <= MAX_EVENT_BYTES - COMPLETION_BYTES) return undefined;
    const together = {
      ...message,
      context: { ...context, ...(message['context'] ?? {}) },
      integrations: mergeIntegrations(integrations, message['integrations']),
    };
    const bytes = Buffer.byteLength(JSON.stringify(together)) + COMPLETION_BYTES;
    return bytes <= MAX_EVENT_BYTES ? undefined : bytes;
  };
}

/** Bounds the bytes of the value's JSON from above. Infinity when it is too deep to be written, NaN when a number in it is infinite. */
function mostBytes(value: object, depth: number): number {
  if (depth > MAX_DEPTH) return Number.POSITIVE_INFINITY;
  let bytes = 2;
  if (Array.isArray(value)) {
    for (const item of value) bytes += mostBytesOf(item, depth) + 1;
    return bytes;
  }
  const fields = value as JsonObject;
  for (const key in fields) bytes += key.length * PER_CODE_UNIT + 4 + mostBytesOf(fields[key], depth);
  return bytes;
}

function mostBytesOf(value: unknown, depth: number): number {
  if (typeof value === 'string') return value.length * PER_CODE_UNIT + 2;
  if (typeof value === 'number') return bytesOfNumber(value);
  return typeof value === 'object' && value !== null ? mostBytes(value, depth + 1) : PER_NUMBER;
}

function bytesOfNumber(value: number): number {
  if (Math.abs(value) < NO_FRACTIONS_FROM) return PER_NUMBER;
  return Number.isFinite(value) ? PER_LARGE_NUMBER : Number.NaN;
}
