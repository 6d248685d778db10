import type { Context } from 'hono';
import { SyncEntryError, SyncError } from '../audiences/audience-errors.js';
import type { ErrorCode } from './openapi-types.js';
import { requireType } from './read-fields.js';
import { ApiRefusal, refusals } from './refusals.js';
import { uploadOf } from './upload.js';

const LINES = /^application\/(?:x-ndjson|ndjson|jsonl|x-jsonlines)\s*(?:;|$)/i;

/** Returns the bytes of a list. They are read only as fast as the caller consumes them. @throws ApiRefusal */
export function listBody(context: Context): AsyncIterable<Uint8Array> {
  requireType(context, LINES, refusals.notLines);
  return uploadOf(context);
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
