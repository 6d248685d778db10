import { canonicalizeFields } from '../protocol/canonical.js';
import { isJsonObject, type JsonObject } from '../protocol/is.js';
import { formatMs, isWritable, parseTime, writeTime } from '../protocol/timestamp.js';
import type { ReceivedMessage } from './received-message.js';

/** The fields of a batch for all of its messages, and when it came. */
export interface BatchLevel {
  readonly context: JsonObject | undefined;
  readonly integrations: JsonObject | undefined;
  /** As it was sent. */
  readonly sentAt: unknown;
  readonly receivedMs: number;
  readonly receivedAt: string;
  /** Makes an id for a message that came without one. */
  newId(): string;
}

/**
 * Brings a message into the canonical form, in place: JSON.parse has just made the object, and no other code holds it. `message` must have passed `examine`.
 */
export function enrich(message: JsonObject, batch: BatchLevel): ReceivedMessage {
  message['messageId'] ||= batch.newId();
  canonicalizeFields(message);
  if (batch.context !== undefined) message['context'] = under(message['context'], batch.context);
  if (batch.integrations !== undefined) message['integrations'] = under(message['integrations'], batch.integrations);
  stamp(message, batch);
  // The fields a message must have are there: `examine` looked at each of them.
  return message as ReceivedMessage;
}

/** One level deep, the message's own key wins. The message's own object is filled up in place. */
function under(own: unknown, batch: JsonObject): JsonObject {
  if (!isJsonObject(own)) return { ...batch };
  for (const key in batch) if (!Object.hasOwn(own, key)) put(own, key, batch[key]);
  return own;
}

/** Keeps `__proto__` the plain key that JSON.parse made of it; assigning it would change the prototype. */
function put(object: JsonObject, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}

function stamp(message: JsonObject, batch: BatchLevel): void {
  const original = message['timestamp'] ?? message['originalTimestamp'];
  // The batch is what was sent: a sentAt of the message's own speaks of some earlier attempt.
  let sent = batch.sentAt;
  let sentMs = parseTime(sent);
  if (Number.isNaN(sentMs)) {
    sent = message['sentAt'];
    sentMs = parseTime(sent);
  }
  if (!Number.isNaN(sentMs)) message['sentAt'] = writeTime(sent, sentMs);
  else if (sent !== undefined) message['sentAt'] = null;
  message['receivedAt'] = batch.receivedAt;
  if (original === undefined || original === null) {
    message['timestamp'] = batch.receivedAt;
    return;
  }
  const originalMs = parseTime(original);
  message['originalTimestamp'] = writeTime(original, originalMs);
  message['timestamp'] = formatMs(correct(originalMs, sentMs, batch.receivedMs));
}

/**
 * When it happened by our clock, if the client's clock was as wrong at the event as it was at sending. Without a `sentMs`
 * (NaN) the client's clock is believed, as it is when the result has no four-digit year.
 */
export function correct(originalMs: number, sentMs: number, receivedMs: number): number {
  const correctedMs = receivedMs - (sentMs - originalMs);
  return isWritable(correctedMs) ? correctedMs : originalMs;
}
