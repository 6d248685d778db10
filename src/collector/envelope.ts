import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
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
 * @param onWriteKey called with the write key, also if the body is refused after it was found
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
    return parseJson(json);
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

/**
 * Bodies of at least this size are parsed in pieces. V8 allocates fresh memory from the system for each longer text, and the page
 * faults cost up to a fifth of the time of JSON.parse.
 */
const LARGE_BYTES = 128 * 1024;

const PIECE_BYTES = 64 * 1024;

/** Takes the place of the messages that are parsed separately. No sender can know it. */
const MARK = randomUUID();

/**
 * Parses JSON text, given as valid UTF-8, with the same result as JSON.parse.
 *
 * @throws SyntaxError
 */
export function parseJson(json: Uint8Array): unknown {
  const body = json.length < LARGE_BYTES ? undefined : parseInPieces(json, PIECE_BYTES);
  return body ?? JSON.parse(textOf(json));
}

const BYTE_ORDER_MARK = 0xfeff;

/** Decodes the text without its byte order mark. */
export function textOf(bytes: Uint8Array): string {
  const text = textFrom(bytes, 0, bytes.length);
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}

/**
 * Parses a batch in pieces: runs of its messages one by one, and the rest of the body with a mark in their place. Each message
 * must begin with the same key and without white space, as in `{"batch":[{"type":…},{"type":…}]}`. Returns undefined if that
 * fails. It fails for any text that is not JSON, and otherwise agrees with JSON.parse: each run is a list without its brackets,
 * the mark is an item of the batch, and a list may be inserted between two items of another.
 */
export function parseInPieces(json: Uint8Array, pieceBytes: number): unknown {
  const [first = -1, ...cuts] = cutsOf(json, pieceBytes);
  const last = cuts.at(-1);
  if (last === undefined) return undefined;
  try {
    const frame: unknown = JSON.parse(`${textFrom(json, 0, first)},"${MARK}",${textFrom(json, last + 1, json.length)}`);
    if (!isJsonObject(frame) || !Array.isArray(frame['batch'])) return undefined;
    const batch: readonly unknown[] = frame['batch'];
    const place = batch.indexOf(MARK);
    if (place === -1) return undefined;
    const runs = cuts.map((cut, index) => JSON.parse(`[${textFrom(json, (cuts[index - 1] ?? first) + 1, cut)}]`));
    frame['batch'] = batch.slice(0, place).concat(...runs, batch.slice(place + 1));
    return frame;
  } catch {
    return undefined;
  }
}

const MOST_KEY_BYTES = 32;

/** Finds commas that appear to separate messages: the first one, and others at least `pieceBytes` apart. */
function cutsOf(json: Uint8Array, pieceBytes: number): number[] {
  const buffer = bufferOf(json);
  const start = buffer.indexOf('[{"');
  const end = buffer.indexOf('"', start + 3);
  if (start === -1 || end === -1 || end - start > MOST_KEY_BYTES) return [];
  const boundary = Buffer.concat([Buffer.from('},'), buffer.subarray(start + 1, end + 1)]);
  const cuts: number[] = [];
  const step = boundary.length + pieceBytes;
  for (let at = buffer.indexOf(boundary); at !== -1; at = buffer.indexOf(boundary, at + step)) cuts.push(at + 1);
  return cuts;
}

const textFrom = (bytes: Uint8Array, from: number, to: number): string => bufferOf(bytes).toString('utf8', from, to);

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
