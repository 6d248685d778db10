import type { Context } from 'hono';
import { SyncEntryError, SyncError } from '../audiences/audience-errors.js';
import type { ErrorCode } from './openapi-types.js';
import { readFields, requireType } from './read-fields.js';
import { ApiRefusal, refusals } from './refusals.js';
import { uploadOf } from './upload.js';

const LINES = /^application\/(?:x-ndjson|ndjson|jsonl|x-jsonlines)\s*(?:;|$)/i;

/** Returns the bytes of a list. They are read only as fast as the caller consumes them. @throws ApiRefusal */
export function listBody(context: Context): AsyncIterable<Uint8Array> {
  requireType(context, LINES, refusals.notLines);
  return uploadOf(context);
}

/**
 * Reads a change: a JSON object whose fields are lists.
 *
 * @param fields for each field, what its list has to contain
 * @throws ApiRefusal
 */
export async function changeBody(
  context: Context,
  maxBytes: number,
  fields: Readonly<Record<string, string>>,
): Promise<Record<string, readonly unknown[]>> {
  const change: Record<string, readonly unknown[]> = {};
  for (const [name, value] of Object.entries(await readFields(context, maxBytes, 'PUT the full list instead'))) {
    const expected = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (expected === undefined) throw refusals.unknownField(name, Object.keys(fields).join(', '));
    if (!Array.isArray(value)) throw refusals.invalidField(name, expected, value);
    change[name] = value;
  }
  return change;
}

/** Refuses a call with the code and the message of the error, if that is about the list. */
export function orRefusal(error: unknown): never {
  if (!(error instanceof SyncError)) throw error;
  const line = error instanceof SyncEntryError ? error.line : undefined;
  throw new ApiRefusal(error.code.replace('EVENTFERRY_', '').toLowerCase() as ErrorCode, error.message, {
    line,
    cause: error,
  });
}
