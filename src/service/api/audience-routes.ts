import type { Context } from 'hono';
import { EventferryError } from '../../errors.js';
import { isRecord } from '../../protocol/is.js';
import type { Audiences } from '../audiences/audiences.js';
import { AudienceMemberError, AudienceNotFoundError } from '../audiences/errors.js';
import { listedIds } from '../audiences/listed-ids.js';
import { readAll, uploadOf, uploadRefusals } from '../audiences/upload.js';
import { ApiRefusal, type RefusalStatus, refusals } from './refusals.js';
import type { Routes } from './router.js';
import type { ErrorCode, MembershipChange } from './types.js';

/** Room for 5,000 ids of the greatest length, unless many of their characters are escaped. */
const MAX_CHANGE_BYTES = 8 * 1024 * 1024;

const LINES = /^application\/(?:x-ndjson|ndjson|jsonl|x-jsonlines)\s*(?:;|$)/i;
const JSON_OBJECT = /^application\/json\s*(?:;|$)/i;

export const audienceRoutes = (audiences: Audiences): Routes<'/v1/audiences'> => ({
  'GET /v1/audiences': () => audiences.list(),
  async 'GET /v1/audiences/:name'(context) {
    const name = context.req.param('name');
    const report = await audiences.get(name).catch(orRefusal);
    return report ?? orRefusal(new AudienceNotFoundError(name));
  },
  async 'PUT /v1/audiences/:name'(context) {
    requireType(context, LINES, uploadRefusals.notLines);
    return audiences.replace(context.req.param('name'), listedIds(uploadOf(context))).catch(orRefusal);
  },
  async 'PATCH /v1/audiences/:name'(context) {
    requireType(context, JSON_OBJECT, refusals.notJson);
    const change = changeIn(await readAll(uploadOf(context), MAX_CHANGE_BYTES));
    return audiences.change(context.req.param('name'), change).catch(orRefusal);
  },
  'DELETE /v1/audiences/:name': (context) => audiences.remove(context.req.param('name')).catch(orRefusal),
});

// A form of another site can send neither type.
function requireType(context: Context, type: RegExp, refusal: () => ApiRefusal): void {
  if (!type.test(context.req.header('content-type') ?? '')) throw refusal();
}

function changeIn(bytes: Uint8Array): MembershipChange {
  const change = parse(bytes);
  if (!isRecord(change)) throw refusals.invalidJson();
  for (const [name, value] of Object.entries(change)) {
    if (name !== 'join' && name !== 'leave') throw refusals.invalidField(name, 'one of join, leave');
    if (!Array.isArray(value)) throw refusals.invalidField(name, 'a list of user ids');
  }
  return change;
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw refusals.invalidJson();
  }
}

/** How the API refuses what a caller can act on. */
const REFUSALS: Readonly<Record<string, { status: RefusalStatus; code: ErrorCode; retryAfter?: string }>> = {
  EVENTFERRY_AUDIENCE_INVALID_NAME: { status: 400, code: 'audience_invalid_name' },
  EVENTFERRY_AUDIENCE_INVALID_MEMBER: { status: 400, code: 'audience_invalid_member' },
  EVENTFERRY_AUDIENCE_INVALID_CHANGE: { status: 422, code: 'audience_invalid_change' },
  EVENTFERRY_AUDIENCE_NOT_FOUND: { status: 404, code: 'audience_not_found' },
  EVENTFERRY_AUDIENCE_TRAIT_TAKEN: { status: 409, code: 'audience_trait_taken' },
  EVENTFERRY_AUDIENCE_BUSY: { status: 409, code: 'audience_busy', retryAfter: '5' },
  EVENTFERRY_AUDIENCE_UNFINISHED: { status: 503, code: 'audience_unfinished', retryAfter: '5' },
  EVENTFERRY_AUDIENCES_CLOSED: { status: 503, code: 'audiences_closed', retryAfter: '5' },
};

function orRefusal(error: unknown): never {
  const refusal = error instanceof EventferryError ? REFUSALS[error.code] : undefined;
  if (refusal === undefined || !(error instanceof EventferryError)) throw error;
  const { retryAfter, ...rest } = refusal;
  const headers = retryAfter === undefined ? {} : { 'Retry-After': retryAfter };
  const line = error instanceof AudienceMemberError ? error.line : undefined;
  throw new ApiRefusal({ ...rest, message: error.message, headers, line }, { cause: error });
}
