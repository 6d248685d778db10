import type { Context } from 'hono';
import { isRecord } from '../../protocol/plain.js';
import { toIso } from '../../protocol/timestamp.js';
import type { HistoryRange } from './history-answers.js';
import { ApiRefusal, refusals } from './refusals.js';

export type Fields = Readonly<Record<string, unknown>>;

/** Enough for all calls but those that name many users. */
const MAX_BYTES = 16_384;

/** For a whole body to arrive, in ms. */
const DEADLINE_MS = 30_000;

/**
 * The JSON object in a request. The type is asked for because a form of another site can send none of it.
 *
 * @throws ApiRefusal
 */
export async function readFields(context: Context, maxBytes = MAX_BYTES): Promise<Fields> {
  if (!/^application\/json\b/i.test(context.req.header('content-type') ?? '')) throw refusals.notJson();
  const declared = Number(context.req.header('content-length') ?? 0);
  if (declared > maxBytes) throw refusals.bodyTooLarge(maxBytes);
  const bytes = await readBytes(context.req.raw.body, maxBytes);
  const value = parse(bytes);
  if (!isRecord(value)) throw refusals.invalidJson();
  return value;
}

async function readBytes(body: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  if (body === null) return new Uint8Array();
  const reader = body.getReader();
  let [bytes, isLate] = [0, false];
  const timer = setTimeout(() => {
    isLate = true;
    void reader.cancel().catch(() => {});
  }, DEADLINE_MS);
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      bytes += read.value.length;
      if (bytes > maxBytes) throw refusals.bodyTooLarge(maxBytes);
      chunks.push(read.value);
    }
  } catch (error) {
    throw error instanceof ApiRefusal ? error : refusals.brokenOff();
  } finally {
    clearTimeout(timer);
    reader.releaseLock();
  }
  if (isLate) throw refusals.bodyTimeout();
  return Buffer.concat(chunks, bytes);
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw refusals.invalidJson();
  }
}

/** @throws ApiRefusal when the field is there and no text */
export function textOf(fields: Fields, field: string): string | undefined {
  const value = fields[field];
  if (value === undefined || (typeof value === 'string' && value !== '')) return value;
  throw refusals.invalidField(field, 'a non-empty string', value);
}

/** @throws ApiRefusal when the query has the name and no such integer */
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

/** A job, a deletion and a change have such an id. @throws ApiRefusal when `after` is none */
export function idAfter(context: Context): string | undefined {
  const id = context.req.query('after') || undefined;
  if (id === undefined || /^[0-9a-z]{9}-/.test(id)) return id;
  throw refusals.invalidQuery('after', 'the `id` of the last one of the page before', id);
}

/** @throws ApiRefusal when what is given is none of those known */
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

/** @throws ApiRefusal when what is asked for is no range */
export const rangeOf = (context: Context): HistoryRange =>
  oneOf(['1h', '24h', '7d'], 'range', context.req.query('range'), refusals.invalidQuery) ?? '1h';

/** The moment as ISO 8601 in UTC. @throws ApiRefusal when what is given is no time */
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
