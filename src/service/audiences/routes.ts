import { type Context, Hono } from 'hono';
import { isRecord } from '../../protocol/is.js';
import { ApiRefusal, refusals } from '../api/refusals.js';
import type { MembershipChange } from '../api/types.js';
import type { Audiences } from './audiences.js';
import { AudienceMemberError, AudienceNotFoundError } from './errors.js';
import { listedIds } from './listed-ids.js';
import { readAll, uploadOf } from './upload.js';
import { uploadRefusals } from './upload-refusals.js';

/** Room for 5,000 ids of the greatest length, unless many of their characters are escaped. */
const MAX_CHANGE_BYTES = 8 * 1024 * 1024;

const LINES = /^application\/(?:x-ndjson|ndjson|jsonl|x-jsonlines)\s*(?:;|$)/i;
const JSON_OBJECT = /^application\/json\s*(?:;|$)/i;

/** The calls about audiences, mounted at `/v1/audiences` behind the check of the token. They rethrow errors that are not the caller's. */
export function audienceRoutes(audiences: Audiences): Hono {
  const routes = new Hono({ strict: false });
  routes.get('/', async (context) => context.json(await audiences.list()));
  routes.get(
    '/:name',
    answering(async (context, name) => {
      const report = await audiences.get(name);
      if (report === undefined) throw new AudienceNotFoundError(name);
      return context.json(report);
    }),
  );
  routes.put(
    '/:name',
    answering(async (context, name) => {
      requireType(context, LINES, uploadRefusals.notLines);
      return context.json(await audiences.replace(name, listedIds(uploadOf(context))));
    }),
  );
  routes.patch(
    '/:name',
    answering(async (context, name) => {
      requireType(context, JSON_OBJECT, refusals.notJson);
      return context.json(await audiences.change(name, changeIn(await readAll(uploadOf(context), MAX_CHANGE_BYTES))));
    }),
  );
  routes.delete(
    '/:name',
    answering(async (context, name) => context.json(await audiences.remove(name))),
  );
  return routes;
}

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

type Failure = { readonly status: 400 | 404 | 409 | 413 | 415 | 422 | 503; readonly retryAfter?: string };

/** The answer to each error that a caller can act on; its code is in the answer as `nameInAnswer` has it. */
const FAILURES: Readonly<Record<string, Failure>> = {
  EVENTFERRY_AUDIENCE_INVALID_NAME: { status: 400 },
  EVENTFERRY_AUDIENCE_INVALID_MEMBER: { status: 400 },
  EVENTFERRY_AUDIENCE_INVALID_CHANGE: { status: 422 },
  EVENTFERRY_AUDIENCE_NOT_FOUND: { status: 404 },
  EVENTFERRY_AUDIENCE_TRAIT_TAKEN: { status: 409 },
  EVENTFERRY_AUDIENCE_BUSY: { status: 409, retryAfter: '5' },
  EVENTFERRY_AUDIENCE_UNFINISHED: { status: 503, retryAfter: '5' },
  EVENTFERRY_AUDIENCES_CLOSED: { status: 503, retryAfter: '5' },
};

function answering(act: (context: Context, name: string) => Promise<Response>) {
  return async (context: Context): Promise<Response> => {
    try {
      return await act(context, context.req.param('name') ?? '');
    } catch (error) {
      return answerOf(context, error);
    }
  };
}

function answerOf(context: Context, error: unknown): Response {
  if (error instanceof ApiRefusal) {
    return context.json({ code: error.code, message: error.message }, error.status);
  }
  const { code, message } = error as { code?: unknown; message?: unknown };
  const failure = typeof code === 'string' ? FAILURES[code] : undefined;
  if (failure === undefined) throw error;
  const line = error instanceof AudienceMemberError ? error.line : undefined;
  const body = { code: nameInAnswer(String(code)), message, ...(line === undefined ? {} : { line }) };
  return context.json(body, failure.status, failure.retryAfter ? { 'Retry-After': failure.retryAfter } : {});
}

/** `EVENTFERRY_AUDIENCE_BUSY` is `audience_busy` in an answer. */
const nameInAnswer = (code: string): string => code.replace(/^EVENTFERRY_/, '').toLowerCase();
