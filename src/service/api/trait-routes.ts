import { SyncNotFoundError } from '../audiences/audience-errors.js';
import { listedUsers } from '../audiences/listed-users.js';
import type { AdminApi } from './admin-api.js';
import type { Routes } from './admin-router.js';
import { changeBody, listBody, orRefusal } from './list-body.js';
import { pageOf } from './list-page.js';

/** Enough for 5,000 ids and values of the maximum length, unless many of their characters are escaped. */
const MAX_CHANGE_BYTES = 16 * 1024 * 1024;

const CHANGE = { set: 'a list of objects with a userId and a value', remove: 'a list of user ids' };

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
    const change = await changeBody(context, MAX_CHANGE_BYTES, CHANGE);
    return audiences.traits.change(context.req.param('name'), change).catch(orRefusal);
  },
  'DELETE /v1/traits/:name': (context) => audiences.traits.remove(context.req.param('name')).catch(orRefusal),
});
