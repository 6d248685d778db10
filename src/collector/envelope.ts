import { isUtf8 } from 'node:buffer';
import { MAX_DEPTH, MAX_TAKEN_MESSAGE_BYTES } from '../base/options/limits.js';
import { describe } from '../base/text/describe.js';
import { withInfinities } from '../base/text/json-loss.js';
import type { MessageTypeName } from '../protocol/calls.js';
import { liftIntegrations } from '../protocol/integrations.js';
import { isJsonObject, type JsonObject } from '../protocol/plain.js';
import { httpErrors } from './http-error.js';
import { type MessageSize, measureMessage, takeWriteKey, wrongNumber } from './validate-batch.js';

/** The contents of a body: its unchecked messages, and the fields that apply to all of them. */
export interface Envelope {
  readonly messages: readonly unknown[];
  readonly writeKey: string | undefined;
  readonly context: JsonObject | undefined;
  readonly integrations: JsonObject | undefined;
  readonly sentAt: unknown;
  /** Parses a message again, with Infinity in place of each number that JSON.parse has changed. */
  exact(index: number): unknown;
}

/**
 * Reads a body. If a type is given, the body is one message of that type; otherwise it is a batch.
 *
 * @param onWriteKey called with the write key, even if the body is refused after the key was found
 * @throws Refusal
 */
export function openEnvelope(
  json: Uint8Array,
  type: MessageTypeName | undefined,
  maxMessages: number,
  onWriteKey: (writeKey: string) => void = () => {},
): Envelope {
  const body = read(json);
  if (!isJsonObject(body)) throw httpErrors.notAnObject();
  const writeKey = takeWriteKey(body);
  if (writeKey !== undefined) onWriteKey(writeKey);
  let again: JsonObject | undefined;
  const exactBody = (): JsonObject => {
    if (again !== undefined) return again;
    again = JSON.parse(withInfinities(textOf(json))) as JsonObject;
    liftIntegrations(again);
    return again;
  };
  if (type !== undefined) {
    const [messages, none] = [[typed(body, type)], undefined];
    return { messages, writeKey, context: none, integrations: none, sentAt: none, exact: exactBody };
  }
  liftIntegrations(body);
  return {
    messages: batchOf(body, maxMessages),
    writeKey,
    context: objectOf(body, 'context', exactBody),
    integrations: objectOf(body, 'integrations', exactBody),
    sentAt: exactly(body, 'sentAt', exactBody),
    exact: (index) => (exactBody()['batch'] as readonly unknown[])[index],
  };
}

function read(json: Uint8Array): unknown {
  if (!isUtf8(json)) throw httpErrors.invalidUtf8();
  try {
    return JSON.parse(textOf(json));
  } catch (error) {
    if (textOf(json).trimStart() === '') throw httpErrors.emptyBody();
    // V8's error message quotes the body, which may hold the write key, so only the position is passed on.
    throw httpErrors.invalidJson(/at position (\d+)/.exec(String(error))?.[1]);
  }
}

function typed(body: JsonObject, type: MessageTypeName): JsonObject {
  body['type'] ??= type;
  if (body['type'] !== type)
    throw httpErrors.invalidField('type', `${type}, which the path says`, describe(body['type']));
  return body;
}

function batchOf(body: JsonObject, maxMessages: number): readonly unknown[] {
  const { batch } = body;
  if (!Array.isArray(batch)) throw httpErrors.noBatch();
  if (batch.length === 0) throw httpErrors.emptyBatch();
  if (batch.length > maxMessages) throw httpErrors.tooManyMessages(batch.length, maxMessages);
  return batch;
}

function objectOf(
  body: JsonObject,
  field: 'context' | 'integrations',
  exactBody: () => JsonObject,
): JsonObject | undefined {
  const value = body[field];
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return undefined;
  // Each message of the batch gets this field, one level deeper.
  const weight = weigh(body, field, exactBody);
  if (!isJsonObject(value)) throw httpErrors.invalidField(field, 'an object', describe(value));
  if (weight !== 'fits') {
    const expected = `an object of at most ${MAX_TAKEN_MESSAGE_BYTES} bytes and ${MAX_DEPTH - 1} levels`;
    throw httpErrors.invalidField(field, expected, 'more');
  }
  return value;
}

function exactly(body: JsonObject, field: string, exactBody: () => JsonObject): unknown {
  weigh(body, field, exactBody);
  return body[field];
}

/** @throws Refusal if JSON.parse has changed a number in the field */
function weigh(body: JsonObject, field: string, exactBody: () => JsonObject): MessageSize {
  const weight = measureMessage({ value: body[field] }, () => ({ value: exactBody()[field] }));
  if (weight === 'no number') throw httpErrors.badField('invalid_number', wrongNumber(field).message);
  return weight;
}

const BYTE_ORDER_MARK = 0xfeff;

/** Decodes the text without its byte order mark. */
export function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  const text = Buffer.from(buffer, byteOffset, byteLength).toString();
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}
