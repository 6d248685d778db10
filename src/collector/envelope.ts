import { isUtf8 } from 'node:buffer';
import { describe } from '../describe.js';
import { MAX_DEPTH, MAX_TAKEN_MESSAGE_BYTES } from '../limits.js';
import { isJsonObject, type JsonObject } from '../protocol/is.js';
import type { MessageTypeName } from '../protocol/message.js';
import { httpErrors } from './http-error.js';
import { parseJson, textOf } from './parse-json.js';
import { takeWriteKey } from './source.js';
import { measureMessage } from './validate-batch.js';

/** The contents of a body: its messages, not yet checked, and its fields for all of them. */
export interface Envelope {
  readonly messages: readonly unknown[];
  readonly writeKey: string | undefined;
  readonly context: JsonObject | undefined;
  readonly integrations: JsonObject | undefined;
  readonly sentAt: unknown;
}

/**
 * Reads a body. With a type it is one message of that type, without one it is a batch.
 *
 * @throws Refusal
 */
export function openEnvelope(json: Uint8Array, type: MessageTypeName | undefined, maxMessages: number): Envelope {
  const body = read(json);
  if (!isJsonObject(body)) throw httpErrors.notAnObject();
  const writeKey = takeWriteKey(body);
  if (type !== undefined) {
    return { messages: [typed(body, type)], writeKey, context: undefined, integrations: undefined, sentAt: undefined };
  }
  return {
    messages: batchOf(body, maxMessages),
    writeKey,
    context: objectOf(body, 'context'),
    integrations: objectOf(body, 'integrations'),
    sentAt: body['sentAt'],
  };
}

function read(json: Uint8Array): unknown {
  if (!isUtf8(json)) throw httpErrors.invalidUtf8();
  try {
    return parseJson(json);
  } catch (error) {
    if (textOf(json).trimStart() === '') throw httpErrors.emptyBody();
    // V8's message quotes the body, which may hold the write key; only the position is passed on.
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

function objectOf(body: JsonObject, field: 'context' | 'integrations'): JsonObject | undefined {
  const value = body[field];
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return undefined;
  if (!isJsonObject(value)) throw httpErrors.invalidField(field, 'an object', describe(value));
  // Every message of the batch gets it, one level further down.
  if (measureMessage({ value }) !== 'fits') {
    const expected = `an object of at most ${MAX_TAKEN_MESSAGE_BYTES} bytes and ${MAX_DEPTH - 1} levels`;
    throw httpErrors.invalidField(field, expected, 'more');
  }
  return value;
}
