import { MAX_DEPTH, MAX_EVENT_BYTES, MAX_TAKEN_MESSAGE_BYTES } from '../limits.js';
import type { JsonObject } from './received-message.js';

// The most bytes JSON makes of one UTF-16 code unit (`\u0000`), and of a number (`-1.7976931348623157e+308`).
const PER_CODE_UNIT = 6;
const PER_NUMBER = 24;

export type MessageSize = 'fits' | 'too deep' | { readonly tooLarge: number };

/**
 * Whether a message keeps the bounds on size and depth. Size is that of its compact JSON in UTF-8, so white space between
 * the fields costs nothing. Writing that JSON costs as much as reading it did, so only a message that could be too large
 * by the most pessimistic count is written.
 */
export function measureMessage(message: JsonObject): MessageSize {
  const most = mostBytes(message, 1);
  if (most <= MAX_TAKEN_MESSAGE_BYTES) return 'fits';
  if (most === Number.POSITIVE_INFINITY) return 'too deep';
  const bytes = Buffer.byteLength(JSON.stringify(message));
  return bytes <= MAX_TAKEN_MESSAGE_BYTES ? 'fits' : { tooLarge: bytes };
}

/** What a batch says for all of its messages. */
interface Shared {
  readonly context: JsonObject | undefined;
  readonly integrations: JsonObject | undefined;
}

/** More than a message grows by where its ids become text and its times are written, and where a destination adds a version. */
const COMPLETION_BYTES = 512;

/** What is left of an event, however large the message is, for what its batch says for all. */
const ROOM = MAX_EVENT_BYTES - MAX_TAKEN_MESSAGE_BYTES - COMPLETION_BYTES;

/**
 * What weighs a message with what its batch says for all, and returns its bytes where those are too many. A batch that says
 * no more than fits beside the largest message weighs none.
 */
export function weigherWith(shared: Shared): (message: JsonObject) => number | undefined {
  if (mostBytes(shared, 0) <= ROOM) return () => undefined;
  return (message) => {
    const context = { ...shared.context, ...(message['context'] ?? {}) };
    const integrations = { ...shared.integrations, ...(message['integrations'] ?? {}) };
    const bytes = Buffer.byteLength(JSON.stringify({ ...message, context, integrations })) + COMPLETION_BYTES;
    return bytes <= MAX_EVENT_BYTES ? undefined : bytes;
  };
}

/** No less than the bytes of the value's JSON; Infinity when it is too deep to be written. */
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
  return typeof value === 'object' && value !== null ? mostBytes(value, depth + 1) : PER_NUMBER;
}
