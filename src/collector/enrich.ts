import { canonicalizeFields } from '../protocol/canonical.js';
import { isJsonObject, type JsonObject } from '../protocol/is.js';
import { formatMs, isWritable, parseTime, writeTime } from '../protocol/timestamp.js';
import type { ReceivedMessage } from './received-message.js';

/** When messages were sent, by the clock of their client. */
export interface Sent {
  /** NaN when the client gave no time. */
  readonly ms: number;
  /** UTC with milliseconds; `null` when the client gave what is no time. */
  readonly at: string | null | undefined;
}

export function readSent(value: unknown): Sent {
  const ms = parseTime(value);
  if (!Number.isNaN(ms)) return { ms, at: writeTime(value, ms) };
  return { ms, at: value === undefined ? undefined : null };
}

/** When a message happened, by the clock of its client: NaN for what is no time, undefined when the client did not say. */
export function readOriginal(message: JsonObject): number | undefined {
  const original = originalOf(message);
  return original === undefined || original === null ? undefined : parseTime(original);
}

const originalOf = (message: JsonObject): unknown => message['timestamp'] ?? message['originalTimestamp'];

/** The fields of a batch for all of its messages, and when it came. */
export interface BatchLevel {
  readonly context: JsonObject | undefined;
  readonly integrations: JsonObject | undefined;
  readonly sent: Sent;
  readonly receivedMs: number;
  readonly receivedAt: string;
  /** Makes an id for a message that came without one. */
  newId(): string;
}

/**
 * Brings a message into the canonical form, in place: JSON.parse has just made the object, and no other code holds it. `message` must have passed `validateMessage`.
 *
 * @param originalMs what `readOriginal` says of it
 */
export function enrich(message: JsonObject, batch: BatchLevel, originalMs: number | undefined): ReceivedMessage {
  message['messageId'] ||= batch.newId();
  canonicalizeFields(message);
  if (batch.context !== undefined) message['context'] = under(message['context'], batch.context);
  if (batch.integrations !== undefined) message['integrations'] = under(message['integrations'], batch.integrations);
  stamp(message, batch, originalMs);
  // The fields a message must have are there: `validateMessage` looked at each of them.
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

function stamp(message: JsonObject, batch: BatchLevel, originalMs: number | undefined): void {
  // The batch is what was sent: a sentAt of the message's own speaks of some earlier attempt.
  const sent = Number.isNaN(batch.sent.ms) ? readSent(message['sentAt']) : batch.sent;
  if (sent.at !== undefined) message['sentAt'] = sent.at;
  message['receivedAt'] = batch.receivedAt;
  if (originalMs === undefined) {
    message['timestamp'] = batch.receivedAt;
    return;
  }
  message['originalTimestamp'] = writeTime(originalOf(message), originalMs);
  message['timestamp'] = formatMs(correct(originalMs, sent.ms, batch.receivedMs));
}

/**
 * When it happened by our clock, if the client's clock was as wrong at the event as it was at sending. Without a `sentMs`
 * (NaN) the client's clock is believed, as it is when the result has no four-digit year.
 */
export function correct(originalMs: number, sentMs: number, receivedMs: number): number {
  const correctedMs = receivedMs - (sentMs - originalMs);
  return isWritable(correctedMs) ? correctedMs : originalMs;
}
