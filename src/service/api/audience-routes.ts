import { SyncNotFoundError } from '../audiences/audience-errors.js';
import { listedUsers } from '../audiences/listed-users.js';
import type { AdminApi } from './admin-api.js';
import type { Routes } from './admin-router.js';
import { MEMBERSHIP } from './change-rules.js';
import { listBody, orRefusal } from './list-body.js';
import { pageOf } from './list-page.js';
import { readFields } from './read-fields.js';

/** Enough for 5,000 ids of the maximum length, unless many of their characters are escaped. */
const MAX_CHANGE_BYTES = 8 * 1024 * 1024;

export const audienceRoutes = ({ audiences }: Pick<AdminApi, 'audiences'>): Routes<'/v1/audiences'> => ({
  'GET /v1/audiences': async (_, query) => [...pageOf(query, await audiences.members.list(), ({ name }) => name)],
  async 'GET /v1/audiences/:name'(context) {
    const name = context.req.param('name');
    const report = await audiences.members.get(name).catch(orRefusal);
    return report ?? orRefusal(new SyncNotFoundError({ kind: 'audience', name }));
  },
  async 'PUT /v1/audiences/:name'(context, { standardTrait }) {
    const options = { isStandardAllowed: standardTrait === 'allow' };
    const users = listedUsers('audience', listBody(context));
    return audiences.members.replace(context.req.param('name'), users, options).catch(orRefusal);
  },
  async 'PATCH /v1/audiences/:name'(context) {
    const change = await readFields(context, MEMBERSHIP, MAX_CHANGE_BYTES, 'PUT the full list instead');
    return audiences.members.change(context.req.param('name'), { ...change }).catch(orRefusal);
  },
  'DELETE /v1/audiences/:name': (context) => audiences.members.remove(context.req.param('name')).catch(orRefusal),
});
