import { formatMs } from '../base/platform/node.js';
import { mergeIntegrations } from '../protocol/integrations.js';
import { isJsonObject, type JsonObject } from '../protocol/plain.js';
import { parseTime, writeTime } from '../protocol/timestamp.js';
import type { ReceivedMessage } from './received-message.js';

/** When messages were sent, by the client's clock. */
export interface SentTimes {
  /** NaN if the client gave no time. */
  readonly ms: number;
  /** UTC with milliseconds; `null` if the client sent something that is not a time. */
  readonly at: string | null | undefined;
}

export function readSent(value: unknown): SentTimes {
  const ms = parseTime(value);
  if (!Number.isNaN(ms)) return { ms, at: writeTime(value, ms) };
  return { ms, at: value === null ? null : undefined };
}

/** Returns when a message happened, by the client's clock: NaN if it is not a time, undefined if the client sent none. */
export function originalMsOf(message: JsonObject): number | undefined {
  const original = originalOf(message);
  return original === undefined || original === null ? undefined : parseTime(original);
}

const originalOf = (message: JsonObject): unknown => message['timestamp'] ?? message['originalTimestamp'];

/** The fields that a batch sets for all of its messages, and the time of its arrival. */
export interface BatchLevel {
  readonly context: JsonObject | undefined;
  readonly integrations: JsonObject | undefined;
  readonly sent: SentTimes;
  readonly receivedMs: number;
  readonly receivedAt: string;
  /** Makes an id for a message that has none. */
  newId(): string;
}

/**
 * Completes a message that passed `validateMessage`, in place: JSON.parse has just made the object and no other code holds it.
 *
 * @param originalMs what `originalMsOf` returned
 */
export function enrich(message: JsonObject, batch: BatchLevel, originalMs: number | undefined): ReceivedMessage {
  message['messageId'] ||= batch.newId();
  if (batch.context !== undefined) message['context'] = under(message['context'], batch.context);
  if (batch.integrations !== undefined) {
    message['integrations'] = mergeIntegrations({ ...batch.integrations }, message['integrations']);
  }
  stamp(message, batch, originalMs);
  // `validateMessage` has checked every required field.
  return message as ReceivedMessage;
}

/** Adds the batch's keys that the message's own object lacks, one level deep and in place. */
function under(own: unknown, batch: JsonObject): JsonObject {
  if (!isJsonObject(own)) return { ...batch };
  for (const key in batch) if (!Object.hasOwn(own, key)) put(own, key, batch[key]);
  return own;
}

/** Sets a key so that `__proto__` stays the plain key that JSON.parse made of it; assigning it would change the prototype. */
function put(object: JsonObject, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}

function stamp(message: JsonObject, batch: BatchLevel, originalMs: number | undefined): void {
  // The batch is what was sent: a message's own sentAt belongs to an earlier attempt.
  const sent = Number.isNaN(batch.sent.ms) ? readSent(message['sentAt']) : batch.sent;
  if (sent.at !== undefined) message['sentAt'] = sent.at;
  else if ('sentAt' in message) delete message['sentAt'];
  message['receivedAt'] = batch.receivedAt;
  if (originalMs === undefined) {
    message['timestamp'] = batch.receivedAt;
    return;
  }
  message['originalTimestamp'] = writeTime(originalOf(message), originalMs);
  message['timestamp'] = formatMs(correct(originalMs, sent.ms, batch.receivedMs));
}

/** A request that takes this long makes a correct clock look wrong. */
const LATENCY_MS = 5_000;

/** No running client has stamped a message longer ago than this, so a person set an older time. */
const STAMPED_WITHIN_MS = 24 * 60 * 60_000;

/** A greater difference is not clock skew: it comes from a stored body, or from a device whose date was never set. */
const MOST_SKEW_MS = 30 * 24 * 60 * 60_000;

/**
 * Returns when a message happened by our clock. Moves a time that a client with a wrong clock has stamped; leaves a time that a
 * person set unchanged, to the millisecond. If `sentMs` is NaN, every time stays unchanged.
 */
export function correct(originalMs: number, sentMs: number, receivedMs: number): number {
  const skewMs = receivedMs - sentMs;
  const isClockWrong = Math.abs(skewMs) > LATENCY_MS && Math.abs(skewMs) <= MOST_SKEW_MS;
  const ageMs = sentMs - originalMs;
  const isStamped = ageMs >= 0 && ageMs <= STAMPED_WITHIN_MS;
  return isClockWrong && isStamped ? originalMs + skewMs : originalMs;
}
