import type { Context } from 'hono';
import { decodeUtf8, parseJson } from '../../base/text/decode.js';
import { isRecord } from '../../protocol/plain.js';
import { toIso } from '../../protocol/timestamp.js';
import { inTime } from '../in-time.js';
import type { HistoryRange } from './history-answers.js';
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
  const value = parseJson(decodeUtf8(bytes) ?? '');
  if (!isRecord(value)) throw refusals.invalidJson();
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

/** Reads an integer of the query, which may be left out. @throws ApiRefusal when it is no integer within the bounds */
export function integerOf(
  context: Context,
  name: string,
  { from, to, otherwise }: { from: number; to: number; otherwise: number },
): number {
  const text = context.req.query(name);
  if (text === undefined) return otherwise;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= from && value <= to) return value;
  throw refusals.invalidQuery(name, `an integer from ${from} to ${to}`, text);
}

/** Reads the `after` of a list of jobs, deletions or changes. @throws ApiRefusal when it is no id of one */
export function idAfter(context: Context): string | undefined {
  const id = context.req.query('after') || undefined;
  if (id === undefined || /^[0-9a-z]{9}-/.test(id)) return id;
  throw refusals.invalidQuery('after', 'the `id` of the last one of the page before', id);
}

/** Reads one of a few words, which may be left out. @throws ApiRefusal when it is another word */
export function oneOf<T extends string>(
  known: readonly T[],
  name: string,
  given: string | undefined,
  refuse: typeof refusals.invalidField,
): T | undefined {
  const found = known.find((each) => each === given);
  if (given !== undefined && found === undefined) throw refuse(name, `one of ${known.join(', ')}`, given);
  return found;
}

/** Reads a parameter of the query that is one of a few words; an empty one is none. @throws ApiRefusal when it is another word */
export const wordOf = <T extends string>(context: Context, name: string, known: readonly T[]): T | undefined =>
  oneOf(known, name, context.req.query(name) || undefined, refusals.invalidQuery);

/** Reads a switch of the query, which only `true` turns on. @throws ApiRefusal */
export const isSet = (context: Context, name: string): boolean => wordOf(context, name, ['true']) === 'true';

/** @throws ApiRefusal when what is asked for is no range */
export const rangeOf = (context: Context): HistoryRange => wordOf(context, 'range', ['1h', '24h', '7d']) ?? '1h';

/** Reads a time, which may be left out, and writes it as ISO 8601 in UTC. @throws ApiRefusal when it is no time */
export function momentOf(
  name: string,
  given: string | undefined,
  refuse: typeof refusals.invalidField,
): string | undefined {
  if (given === undefined) return undefined;
  const iso = toIso(given);
  if (iso === undefined) throw refuse(name, 'an ISO 8601 time with Z or an offset', given);
  return iso;
}
