import { problemText } from '../base/errors/errors.js';
import { MAX_DEPTH, MAX_EVENT_BYTES, MAX_MESSAGE_ID_LENGTH, MAX_TAKEN_MESSAGE_BYTES } from '../base/options/limits.js';
import { describe } from '../base/text/describe.js';
import { NO_FRACTIONS_FROM } from '../base/text/json-loss.js';
import { fieldProblem, isNamed } from '../protocol/canonical.js';
import { MESSAGE_TYPES } from '../protocol/field-table.js';
import { liftIntegrations, mergeIntegrations } from '../protocol/integrations.js';
import { isJsonObject, type JsonObject } from '../protocol/plain.js';
import { userIdTextProblem } from '../protocol/user-id.js';
import { type BatchLevel, enrich, originalMsOf } from './enrich.js';
import type { ReceivedMessage } from './received-message.js';

/** A message that is refused. */
export interface Rejected extends Problem {
  readonly index: number;
  readonly messageId: string | undefined;
  /** The message, as it was sent. */
  readonly item: unknown;
}

/**
 * Separates the messages of a batch into accepted ones, which it completes, and refused ones.
 *
 * @param exact parses a message again, with Infinity in place of each number that JSON.parse has changed
 */
export function validateBatch(
  items: readonly unknown[],
  batch: BatchLevel,
  exact: (index: number) => unknown = (index) => items[index],
) {
  const messages: ReceivedMessage[] = [];
  const rejected: Rejected[] = [];
  const tooLargeTogether = weigherWith(batch);
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
    const originalMs = originalMsOf(item);
    const canonical: JsonObject = {};
    const wrong = validateMessage(item, originalMs, () => exact(index), canonical) ?? tooLargeTogether(item);
    // A message that is refused is shown as it was sent.
    if (wrong === undefined) messages.push(enrich(Object.assign(item, canonical), batch, originalMs));
    else rejected.push({ ...wrong, index, messageId: idOf(item['messageId']), item });
  }
  return { messages, rejected };
}

/** Removes the write key, because it is the sender's credential and not part of the message. */
export function takeWriteKey(body: JsonObject): string | undefined {
  const writeKey = body['writeKey'];
  if (writeKey === undefined) return undefined;
  delete body['writeKey'];
  return typeof writeKey === 'string' ? writeKey : undefined;
}

const idOf = (messageId: unknown): string | undefined => (typeof messageId === 'string' ? messageId : undefined);

/** Writes the refused value as JSON for a developer to inspect. */
export function rawOf(item: unknown): string {
  try {
    return JSON.stringify(item);
  } catch {
    // The value is too deeply nested, which is why it was rejected.
    return '';
  }
}

/** The reason why a message is refused. */
export interface Problem {
  /** A stable code for each kind of mistake. */
  readonly code: string;
  readonly message: string;
}

/** @param path the place of the mistake; `message` for the message as a whole */
export const problem = (code: string, path: string, expected: string, received: string): Problem => ({
  code,
  message: problemText(path, expected, received),
});

/**
 * Returns what is wrong with a message, if anything. The rules follow what real clients send, not only ours: any message that has
 * a canonical form is accepted.
 *
 * @param canonical gets the canonical form of each field that has another form
 */
export function validateMessage(
  message: JsonObject,
  originalMs = originalMsOf(message),
  exact: () => unknown = () => message,
  canonical: JsonObject = {},
): Problem | undefined {
  const weight = measureMessage(message, exact);
  // This check comes first: if `JSON.parse` has rounded a number, another error would show a value that the sender did not write.
  if (weight === 'no number') return wrongNumber('message');
  const wrong = examineFields(message, originalMs, canonical);
  if (wrong !== undefined || weight === 'fits') return wrong;
  if (weight === 'too deep') return problem('message_too_deep', 'message', `at most ${MAX_DEPTH} levels`, 'more');
  return tooLarge(MAX_TAKEN_MESSAGE_BYTES, weight.tooLarge);
}

export const wrongNumber = (path: string): Problem =>
  problem('invalid_number', path, 'numbers that JavaScript does not round, and larger ones in quotes', 'a larger one');

const tooLarge = (most: number, bytes: number, what = 'of JSON'): Problem =>
  problem('message_too_large', 'message', `at most ${most} bytes ${what}`, String(bytes));

function examineFields(
  message: JsonObject,
  originalMs: number | undefined,
  canonical: JsonObject,
): Problem | undefined {
  const type = message['type'];
  if (!MESSAGE_TYPES.some((name) => name === type)) {
    return problem('invalid_type', 'type', `one of ${MESSAGE_TYPES.join(', ')}`, describe(type));
  }
  return (
    examineMessageId(message['messageId']) ??
    examineCanonical(message, canonical) ??
    (type === 'alias' ? undefined : examineIdentity(message)) ??
    examineUser('userId', message) ??
    examineUser('anonymousId', message) ??
    // A message of another type may have anything in `previousId`.
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

function examineCanonical(message: JsonObject, canonical: JsonObject): Problem | undefined {
  const found = fieldProblem(message, canonical);
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

/** Refuses an id that could not be used to delete the user's data. */
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

// The most bytes that JSON needs for one UTF-16 code unit (`\u0000`), and for a number (`-1.7976931348623157e+308`).
const PER_CODE_UNIT = 6;
const PER_NUMBER = 24;
/** The weight of a number that JSON.parse may have changed: above any limit, so that the message is examined. */
const PER_LARGE_NUMBER = 2 ** 40;

export type MessageSize = 'fits' | 'too deep' | 'no number' | { readonly tooLarge: number };

/**
 * Checks the limits on a message's size and depth. The size is that of its compact JSON in UTF-8, so white space between fields
 * does not count. Writing that JSON costs as much as reading it did, so only a message that could be too large by the most
 * pessimistic count is written. A number too large for JavaScript, such as 1e400, would be written as `null`, and
 * 9007199254740993 as another number.
 *
 * @param exact parses the message again, with Infinity in place of each number that JSON.parse has changed
 */
export function measureMessage(message: JsonObject, exact: () => unknown = () => message): MessageSize {
  const most = mostBytes(message, 1);
  if (most <= MAX_TAKEN_MESSAGE_BYTES) return 'fits';
  if (most === Number.POSITIVE_INFINITY) return 'too deep';
  if (Number.isNaN(most >= PER_LARGE_NUMBER ? mostBytesOf(exact(), 0) : most)) return 'no number';
  const bytes = Buffer.byteLength(JSON.stringify(message));
  return bytes <= MAX_TAKEN_MESSAGE_BYTES ? 'fits' : { tooLarge: bytes };
}

/** The fields that a batch sets for all of its messages. */
interface Shared {
  readonly context: JsonObject | undefined;
  readonly integrations: JsonObject | undefined;
}

/** An upper bound for what completion adds to a message: ids that become text, formatted times, and a destination's version. */
const COMPLETION_BYTES = 512;

/** The room in an event that is left for its batch's context and integrations, however large the message is. */
const ROOM = MAX_EVENT_BYTES - MAX_TAKEN_MESSAGE_BYTES - COMPLETION_BYTES;

/** The most bytes that a batch adds to each of its messages. */
export const sharedBytes = ({ context, integrations }: Shared): number =>
  context === undefined && integrations === undefined
    ? 0
    : Buffer.byteLength(JSON.stringify({ context, integrations }));

/**
 * Returns a function that refuses a message that is too large with its batch's context and integrations. Only a message that
 * could be too large with them is written as JSON.
 */
function weigherWith({ context, integrations }: Shared): (message: JsonObject) => Problem | undefined {
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
    if (bytes <= MAX_EVENT_BYTES) return undefined;
    return tooLarge(MAX_EVENT_BYTES, bytes, 'with the context and integrations of its batch');
  };
}

/** Returns an upper bound for the bytes of a value's JSON: Infinity if it is too deep, NaN if it contains Infinity. */
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
