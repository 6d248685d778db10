import type { Context } from 'hono';
import { decodeUtf8, parseJson } from '../../base/text/decode.js';
import { lossIn } from '../../base/text/json-loss.js';
import { isRecord } from '../../protocol/plain.js';
import { inTime } from '../in-time.js';
import type { QueryParameter } from './queries.js';
import { type ApiRefusal, refusals } from './refusals.js';
import { readAll, uploadOf } from './upload.js';

export type BodyFields = Readonly<Record<string, unknown>>;

/** Enough for all calls except those that name many users. */
const MAX_BYTES = 16_384;

/** The time in ms within which a whole body has to arrive. */
const DEADLINE_MS = 30_000;

/**
 * Reads the JSON object in a request.
 *
 * @param hint tells a caller whose body is too large what to do instead
 * @throws ApiRefusal
 */
export async function readFields(context: Context, maxBytes = MAX_BYTES, hint?: string): Promise<BodyFields> {
  requireType(context, /^application\/json\s*(?:;|$)/i, refusals.notJson);
  const bytes = await inTime(readAll(uploadOf(context), maxBytes, hint), DEADLINE_MS, refusals.bodyTimeout);
  const text = decodeUtf8(bytes) ?? '';
  const value = parseJson(text);
  if (!isRecord(value)) throw refusals.invalidJson('The body is not a JSON object in UTF-8');
  const loss = lossIn(text, value);
  if (loss !== undefined) throw refusals.invalidJson(`The body: ${loss}`);
  return value;
}

/** Refuses unknown fields, because a misspelt field would otherwise be ignored silently. @throws ApiRefusal */
export function checkKnown(fields: BodyFields, known: readonly string[]): void {
  const unknown = Object.keys(fields).find((name) => !known.includes(name));
  if (unknown !== undefined) throw refusals.unknownField(unknown, known.join(', '));
}

/** Refuses any other content type. A form on another site cannot send the required ones. @throws ApiRefusal */
export function requireType(context: Context, type: RegExp, refusal: () => ApiRefusal): void {
  if (!type.test(context.req.header('content-type') ?? '')) throw refusal();
}

/** Reads an optional text field. @throws ApiRefusal when it is empty or not a string */
export function textOf(fields: BodyFields, field: string): string | undefined {
  const value = fields[field];
  if (value === undefined || (typeof value === 'string' && value !== '')) return value;
  throw refusals.invalidField(field, 'a non-empty string', value);
}

/** Reads a text field and converts it; undefined if the field is absent. @throws ApiRefusal when the text is not valid */
export function readField<T>(fields: BodyFields, field: string, { expected, read }: QueryParameter<T>): T | undefined {
  const text = textOf(fields, field);
  if (text === undefined) return undefined;
  const value = read(text);
  if (value === undefined) throw refusals.invalidField(field, expected, text);
  return value;
}
