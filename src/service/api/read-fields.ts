import type { Context } from 'hono';
import { decodeUtf8, parseJson } from '../../base/text/decode.js';
import { lossIn } from '../../base/text/json-loss.js';
import { isRecord } from '../../protocol/plain.js';
import { inTime } from '../in-time.js';
import type { QueryParameter } from './query-parameters.js';
import { type ApiRefusal, refusals } from './refusals.js';
import { readAll, uploadOf } from './upload.js';

export type Fields = Readonly<Record<string, unknown>>;

/** Enough for all calls but those that name many users. */
const MAX_BYTES = 16_384;

/** For a whole body to arrive, in ms. */
const DEADLINE_MS = 30_000;

/**
 * The JSON object in a request.
 *
 * @param hint says what to do in place of sending more
 * @throws ApiRefusal
 */
export async function readFields(context: Context, maxBytes = MAX_BYTES, hint?: string): Promise<Fields> {
  requireType(context, /^application\/json\s*(?:;|$)/i, refusals.notJson);
  const bytes = await inTime(readAll(uploadOf(context), maxBytes, hint), DEADLINE_MS, refusals.bodyTimeout);
  const text = decodeUtf8(bytes) ?? '';
  const value = parseJson(text);
  if (!isRecord(value)) throw refusals.invalidJson('The body is not a JSON object in UTF-8');
  const loss = lossIn(text, value);
  if (loss !== undefined) throw refusals.invalidJson(`The body: ${loss}`);
  return value;
}

/** Refuses a field that means nothing here: a misspelt one would be left out in silence. @throws ApiRefusal */
export function checkKnown(fields: Fields, known: readonly string[]): void {
  const unknown = Object.keys(fields).find((name) => !known.includes(name));
  if (unknown !== undefined) throw refusals.unknownField(unknown, known.join(', '));
}

/** Refuses another type, because a form of another site can send none of these. @throws ApiRefusal */
export function requireType(context: Context, type: RegExp, refusal: () => ApiRefusal): void {
  if (!type.test(context.req.header('content-type') ?? '')) throw refusal();
}

/** Reads a field that may be left out. @throws ApiRefusal when it is no text, or empty */
export function textOf(fields: Fields, field: string): string | undefined {
  const value = fields[field];
  if (value === undefined || (typeof value === 'string' && value !== '')) return value;
  throw refusals.invalidField(field, 'a non-empty string', value);
}

/** Reads what a text of a field means; undefined where there is none. @throws ApiRefusal when it means nothing */
export function readField<T>(fields: Fields, field: string, { expected, read }: QueryParameter<T>): T | undefined {
  const text = textOf(fields, field);
  if (text === undefined) return undefined;
  const value = read(text);
  if (value === undefined) throw refusals.invalidField(field, expected, text);
  return value;
}
