import { SyncNotFoundError } from '../audiences/audience-errors.js';
import { listedUsers } from '../audiences/listed-users.js';
import type { AdminApi } from './admin-api.js';
import type { Routes } from './admin-router.js';
import { VALUES } from './change-rules.js';
import { listBody, orRefusal } from './list-body.js';
import { pageOf } from './list-page.js';
import { readFields } from './read-fields.js';

/** Enough for 5,000 ids and values of the maximum length, unless many of their characters are escaped. */
const MAX_CHANGE_BYTES = 16 * 1024 * 1024;

export const traitRoutes = ({ audiences }: Pick<AdminApi, 'audiences'>): Routes<'/v1/traits'> => ({
  'GET /v1/traits': async (_, query) => [...pageOf(query, await audiences.traits.list(), ({ name }) => name)],
  async 'GET /v1/traits/:name'(context) {
    const name = context.req.param('name');
    const report = await audiences.traits.get(name).catch(orRefusal);
    return report ?? orRefusal(new SyncNotFoundError({ kind: 'trait', name }));
  },
  async 'PUT /v1/traits/:name'(context) {
    const users = listedUsers('trait', listBody(context));
    return audiences.traits.replace(context.req.param('name'), users).catch(orRefusal);
  },
  async 'PATCH /v1/traits/:name'(context) {
    const change = await readFields(context, VALUES, MAX_CHANGE_BYTES, 'PUT the full list instead');
    return audiences.traits.change(context.req.param('name'), { ...change }).catch(orRefusal);
  },
  'DELETE /v1/traits/:name': (context) => audiences.traits.remove(context.req.param('name')).catch(orRefusal),
});
