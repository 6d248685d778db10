import type { Context } from 'hono';
import type { Rules } from '../../base/options/check-options.js';
import { SyncError, syncErrors } from '../audiences/audience-errors.js';
import { listedUsers } from '../audiences/listed-users.js';
import type { ListKind } from '../audiences/named.js';
import type { ReplaceOptions, SyncedLists } from '../audiences/synced-lists.js';
import type { AdminApi } from './admin-api.js';
import type { Env, Routes } from './admin-router.js';
import { MEMBERSHIP, VALUES } from './change-rules.js';
import { pageOf } from './list-page.js';
import { readFields, requireType } from './read-fields.js';
import { ApiRefusal, refusals } from './refusals.js';
import type { ListQuery } from './requests.js';
import { uploadOf } from './upload.js';

/** Enough for 5,000 ids of the maximum length, or ids and values, unless many of their characters are escaped. */
const MAX_CHANGE_BYTES = { audience: 8 * 1024 * 1024, trait: 16 * 1024 * 1024 };

const LINES = /^application\/(?:x-ndjson|ndjson|jsonl|x-jsonlines)\s*(?:;|$)/i;

export function syncedRoutes({
  audiences,
}: Pick<AdminApi, 'audiences'>): Routes<'/v1/audiences'> & Routes<'/v1/traits'> {
  const members = callsOf('audience', audiences.members, MEMBERSHIP);
  const values = callsOf('trait', audiences.traits, VALUES);
  return {
    'GET /v1/audiences': members.list,
    'GET /v1/audiences/:name': members.get,
    'PUT /v1/audiences/:name': (context, { standardTrait }) =>
      members.replace(context, { isStandardAllowed: standardTrait === 'allow' }),
    'PATCH /v1/audiences/:name': members.change,
    'DELETE /v1/audiences/:name': members.remove,
    'GET /v1/traits': values.list,
    'GET /v1/traits/:name': values.get,
    'PUT /v1/traits/:name': (context) => values.replace(context),
    'PATCH /v1/traits/:name': values.change,
    'DELETE /v1/traits/:name': values.remove,
  };
}

type Named = Context<Env, '/:name'>;

const nameIn = ({ req }: Named): string => req.param('name');

const callsOf = <Report extends { readonly name: string }, Result>(
  kind: ListKind,
  lists: SyncedLists<Report, Result>,
  rules: Rules<Record<string, readonly unknown[] | undefined>>,
) => ({
  list: async (_: Context<Env>, query: ListQuery) => [...pageOf(query, await lists.list(), ({ name }) => name)],
  async get(context: Named) {
    const name = nameIn(context);
    return (await lists.get(name).catch(orRefusal)) ?? orRefusal(syncErrors.missing({ kind, name }));
  },
  replace: async (context: Named, options?: ReplaceOptions) =>
    lists.replace(nameIn(context), listedUsers(kind, listBody(context)), options).catch(orRefusal),
  async change(context: Named) {
    const change = await readFields(context, rules, MAX_CHANGE_BYTES[kind], 'PUT the full list instead');
    return lists.change(nameIn(context), change).catch(orRefusal);
  },
  remove: (context: Named) => lists.remove(nameIn(context)).catch(orRefusal),
});

/** Returns the bytes of a list. They are read only as fast as the caller consumes them. @throws ApiRefusal */
export function listBody(context: Context): AsyncIterable<Uint8Array> {
  requireType(context, LINES, refusals.notLines);
  return uploadOf(context);
}

/** Refuses a call with the code and the message of the error, if that is about the list. */
export function orRefusal(error: unknown): never {
  if (!(error instanceof SyncError)) throw error;
  throw new ApiRefusal(error.apiCode, error.message, { line: error.line, cause: error });
}
