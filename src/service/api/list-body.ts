import type { Context } from 'hono';
import { EventferryError } from '../../base/errors/errors.js';
import { SyncEntryError } from '../audiences/audience-errors.js';
import type { ErrorCode } from './openapi-types.js';
import { readFields, requireType } from './read-fields.js';
import { ApiRefusal, type RefusalStatus, refusals } from './refusals.js';
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

interface ListRefusal {
  readonly status: RefusalStatus;
  readonly code: ErrorCode;
  readonly retryAfter?: string;
}

/** The status and code of the answer to each error that a caller can act on. */
const REFUSALS: Readonly<Record<string, ListRefusal>> = {
  EVENTFERRY_AUDIENCE_INVALID_NAME: { status: 400, code: 'audience_invalid_name' },
  EVENTFERRY_AUDIENCE_INVALID_MEMBER: { status: 400, code: 'audience_invalid_member' },
  EVENTFERRY_AUDIENCE_INVALID_CHANGE: { status: 422, code: 'audience_invalid_change' },
  EVENTFERRY_AUDIENCE_NOT_FOUND: { status: 404, code: 'audience_not_found' },
  EVENTFERRY_AUDIENCE_TRAIT_TAKEN: { status: 409, code: 'audience_trait_taken' },
  EVENTFERRY_AUDIENCE_BUSY: { status: 409, code: 'audience_busy', retryAfter: '5' },
  EVENTFERRY_AUDIENCE_UNFINISHED: { status: 503, code: 'audience_unfinished', retryAfter: '5' },
  EVENTFERRY_AUDIENCES_CLOSED: { status: 503, code: 'audiences_closed', retryAfter: '5' },
  EVENTFERRY_TRAIT_INVALID_NAME: { status: 400, code: 'trait_invalid_name' },
  EVENTFERRY_TRAIT_INVALID_VALUE: { status: 400, code: 'trait_invalid_value' },
  EVENTFERRY_TRAIT_INVALID_CHANGE: { status: 422, code: 'trait_invalid_change' },
  EVENTFERRY_TRAIT_NOT_FOUND: { status: 404, code: 'trait_not_found' },
  EVENTFERRY_TRAIT_TAKEN: { status: 409, code: 'trait_taken' },
  EVENTFERRY_TRAIT_BUSY: { status: 409, code: 'trait_busy', retryAfter: '5' },
  EVENTFERRY_TRAIT_UNFINISHED: { status: 503, code: 'trait_unfinished', retryAfter: '5' },
  EVENTFERRY_TRAITS_CLOSED: { status: 503, code: 'traits_closed', retryAfter: '5' },
};

export function orRefusal(error: unknown): never {
  const refusal = error instanceof EventferryError ? REFUSALS[error.code] : undefined;
  if (refusal === undefined || !(error instanceof EventferryError)) throw error;
  const { retryAfter, ...rest } = refusal;
  const headers = retryAfter === undefined ? {} : { 'Retry-After': retryAfter };
  const line = error instanceof SyncEntryError ? error.line : undefined;
  throw new ApiRefusal({ ...rest, message: error.message, headers, line }, { cause: error });
}
